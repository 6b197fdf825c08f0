#include <dlfcn.h>

// Part of programs that run under the leak sanitizer: OpenGL drivers stay loaded. What they keep in
// their own variables for the whole run would count as lost, and without a name that could be
// suppressed, once they were unloaded.
extern "C" int dlclose(void* /*library*/) noexcept { return 0; }
