// A library to preload into a program. It reports each file of a folder that the program, its
// libraries or its child processes open for reading. SKDE_COUNTED_OPENS is "DESCRIPTOR:FOLDER";
// each file is written as one line to the descriptor, a pipe.

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

void tell(const char* path) {
  const char* const order = std::getenv("SKDE_COUNTED_OPENS");
  if (order == nullptr || path == nullptr) return;
  char* folder = nullptr;
  const long descriptor = std::strtol(order, &folder, 10);
  if (*folder != ':' || std::strncmp(path, folder + 1, std::strlen(folder + 1)) != 0) return;
  const std::string line = std::string(path) + '\n';
  if (write(static_cast<int>(descriptor), line.data(), line.size()) < 0) std::abort();
}

void tell_of_reading(const char* path, int flags) {
  if ((flags & O_ACCMODE) == O_RDONLY && (flags & O_DIRECTORY) == 0) tell(path);
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

mode_t mode_behind(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

#define SKDE_COUNTED_OPEN(name)                                        \
  int name(const char* path, int flags, ...) {                         \
    va_list arguments;                                                 \
    va_start(arguments, flags);                                        \
    const mode_t mode = mode_behind(flags, arguments);                 \
    va_end(arguments);                                                 \
    tell_of_reading(path, flags);                                      \
    return next<int(const char*, int, ...)>(#name)(path, flags, mode); \
  }
#define SKDE_COUNTED_OPEN_AT(name)                                                  \
  int name(int folder, const char* path, int flags, ...) {                          \
    va_list arguments;                                                              \
    va_start(arguments, flags);                                                     \
    const mode_t mode = mode_behind(flags, arguments);                              \
    va_end(arguments);                                                              \
    tell_of_reading(path, flags);                                                   \
    return next<int(int, const char*, int, ...)>(#name)(folder, path, flags, mode); \
  }
#define SKDE_COUNTED_FOPEN(name)                                     \
  FILE* name(const char* path, const char* mode) {                   \
    if (mode[0] == 'r') tell(path);                                  \
    return next<FILE*(const char*, const char*)>(#name)(path, mode); \
  }

SKDE_COUNTED_OPEN(open)
SKDE_COUNTED_OPEN(open64)
SKDE_COUNTED_OPEN_AT(openat)
SKDE_COUNTED_OPEN_AT(openat64)
SKDE_COUNTED_FOPEN(fopen)
SKDE_COUNTED_FOPEN(fopen64)

}  // extern "C"
