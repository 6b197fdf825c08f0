#pragma once

namespace skde::cli {

/// From here on, what nobody catches for want of threads or memory is an error of resources, by
/// message and exit code, and no crash.
void end_failed_start();

#if defined(__GLIBC__)
// Included by the main file of a program: libraries start threads before main() does, so this comes
// before all of them.
using BeforeLibraries = void (*)();
[[gnu::section(".preinit_array"), gnu::used]] static const BeforeLibraries kBeforeLibraries =
    end_failed_start;
#endif

}  // namespace skde::cli
