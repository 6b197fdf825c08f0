#pragma once

namespace skde::cli {

/// From here on, uncaught failures to get threads or memory end the program as resource errors,
/// with a message and an exit code, instead of a crash.
void end_failed_start();

#if defined(__GLIBC__)
// The main file of a program includes this. Libraries start threads before main() does, so the
// function runs before all of them.
using BeforeLibraries = void (*)();
[[gnu::section(".preinit_array"), gnu::used]] static const BeforeLibraries kBeforeLibraries =
    end_failed_start;
#endif

}  // namespace skde::cli
