#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace skde {

/// Returns the bytes of memory that control groups leave this process: the least over its own and
/// its parents, of versions 2 and 1. Page cache counts as used there, so the result is too low only
/// if a group is nearly full. Nothing if no group has a limit. `root` is the folder that holds proc
/// and sys.
std::optional<std::int64_t> left_in_control_groups(const std::filesystem::path& root = "/");
/// Returns the lowest of their limits, whatever is used.
std::optional<std::int64_t> limit_of_control_groups(const std::filesystem::path& root = "/");

}  // namespace skde
