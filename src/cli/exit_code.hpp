#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace skde::cli {

/// Runs a program's work and returns its exit code; an error is one line on standard error that
/// begins with the program's name. `memory_hint`: which flags take less memory.
int exit_code_of(std::string_view program, std::string_view memory_hint,
                 const std::function<void()>& work);

/// "skde 0.1.0 (compiler g++ 12.2.0, CUDA yes)\n".
std::string version_line(std::string_view program);

}  // namespace skde::cli
