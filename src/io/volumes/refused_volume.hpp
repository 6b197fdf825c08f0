#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "core/error.hpp"

namespace skde::io {

/// Error(input): "FILE: WHAT", with the step that mends it.
[[noreturn]] inline void refuse_volume(const std::string& name, std::string_view what,
                                       std::string suggestion = {}) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", name, what), {{}, std::move(suggestion)});
}

}  // namespace skde::io
