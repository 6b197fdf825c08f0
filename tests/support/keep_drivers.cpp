#include <dlfcn.h>

// Linked into programs that run under the leak sanitizer, to keep OpenGL drivers loaded. Memory
// that drivers hold in their own variables would be reported as a leak once they are unloaded,
// without a name that a suppression could match.
extern "C" int dlclose(void* /*library*/) noexcept { return 0; }
