#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/results/command_result.hpp"

namespace skde {
struct DensityOptions;  // estimate/fields/density_fields.hpp
}

namespace skde::cli {

class OptionTable;
struct ParsedFlags;

/// Adds --field, by which commands take one volume of several in a file, or each of them.
void add_field_flag(OptionTable& table, std::string& field);

/// Takes the arguments as the files of a density, and checks the flags with them. Returns the
/// volume among them; empty for clouds, whose options are still to be completed. Throws
/// Error(usage) if no file is given, if a volume has company, or if a flag does not apply to it.
std::string take_density_input(const ParsedFlags& flags, DensityOptions& density);

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
