#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/results/command_result.hpp"

namespace skde::cli {

/// Adds --field, by which commands take one volume of several in a file, or each of them.
void add_field_flag(OptionTable& table, std::string& field);

/// Returns "FILE:FIELD". Throws Error(usage) if the path names a volume already.
std::string volume_named(const std::string& path, const std::string& field);

/// Runs a command on a volume.
using VolumeWork =
    std::function<CommandResult(const std::string& field, const std::vector<std::string>& outputs)>;

/// Runs a command on the volume of a file that `field` names (empty: the only or the first one).
/// For "all", runs it on each, with the name of the volume in place of `{}` in each output, and
/// returns their results as one. Throws Error(usage) if several would be written to one file.
CommandResult for_each_volume(const std::string& path, const std::string& field,
                              const std::vector<std::string>& outputs, const VolumeWork& work);

}  // namespace skde::cli
