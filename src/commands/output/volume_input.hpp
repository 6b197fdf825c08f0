#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/mass_levels.hpp"
#include "cli/options/option_table.hpp"
#include "cli/results/any_table.hpp"
#include "cli/results/command_result.hpp"
#include "cli/results/report.hpp"
#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "estimate/read/input_error.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde {
struct DensityOptions;  // estimate/fields/density_fields.hpp
}

namespace skde::cli {

/// The volume that a command works on.
struct VolumeInput {
  std::string path;  ///< with the name of the volume, if the file has several
  io::VolumeFile file;
  std::vector<Warning> warnings;  ///< if it is the first of several

  const Grid& grid() const { return file.volume.grid(); }
  const std::string& units() const { return file.metadata.units; }
};

/// Returns the only argument that is not a flag. Throws Error(usage) if there is none, or more than
/// one.
std::string only_volume(const ParsedFlags& flags);
/// Reads a volume. Throws what read_volume throws, and Error(input) if the file does not give the
/// coordinates of its cells.
VolumeInput read_input(const std::string& path, Progress& progress,
                       const io::OpenFiles& files = {});

/// Calls `work`; errors about the input get the volume's name in front.
template <class Work>
auto about_volume(const VolumeInput& input, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw naming_inputs(error, std::span(&input.path, 1));
  }
}

/// Returns density_mass() of the volume. Warns on standard error of what reading it found, if
/// values below 0 count as 0, and if the mass outside the box is unknown.
DensityMass mass_of_input(const VolumeInput& input);

/// Adds rows for the file, its mass and the mass outside the box.
void add_input(Report& report, const VolumeInput& input, const DensityMass& mass);
void add_fields(Fields<DensityMass>& fields);

/// Parses a share of the whole mass, above 0 and below 1. Throws Error(usage) otherwise.
double parse_mass(const std::string& given);
/// Adds --mass, a list of such shares.
void add_mass_flag(OptionTable& table, const std::string& by_default, std::vector<double>& masses);

class OptionTable;
struct ParsedFlags;

/// Adds --field, by which commands take one volume of several in a file, or each of them.
void add_field_flag(OptionTable& table, std::string& field);

/// Takes the arguments as the files of a density, and checks the flags with them. Returns the
/// volume among them; empty for clouds, whose options are still to be completed. Throws
/// Error(usage) if no file is given, if a volume has company, or if a flag does not apply to it,
/// nor to the points of `has_points`.
std::string take_density_input(const ParsedFlags& flags, DensityOptions& density,
                               bool has_points = false);

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
