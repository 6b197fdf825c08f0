#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/density_mass.hpp"
#include "cli/options/option_table.hpp"
#include "cli/results/any_table.hpp"
#include "cli/results/report.hpp"
#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "core/report/warning.hpp"
#include "estimate/read/input_error.hpp"
#include "io/volumes/volume_formats.hpp"

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

}  // namespace skde::cli
