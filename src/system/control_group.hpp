#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace skde {

/// Bytes of memory that the control groups of this process leave it: the least of its own and of
/// those above, of version 2 and 1. Page cache counts as used there, so this errs on the careful
/// side only where a group is nearly full. Nothing where no group has a limit. `root` is where proc
/// and sys are found.
std::optional<std::int64_t> left_in_control_groups(const std::filesystem::path& root = "/");
/// The least of their limits, whatever is used.
std::optional<std::int64_t> limit_of_control_groups(const std::filesystem::path& root = "/");

}  // namespace skde
