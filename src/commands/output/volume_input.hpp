#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/density_mass.hpp"
#include "cli/options/option_table.hpp"
#include "cli/report.hpp"
#include "cli/results/any_table.hpp"
#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "estimate/read/input_error.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {

/// The volume that a command works on.
struct VolumeInput {
  std::string path;
  io::VolumeFile file;

  const Grid& grid() const { return file.volume.grid(); }
  const std::string& units() const { return file.metadata.units; }
};

/// The only argument of a command that is no flag. Error(usage) where there is none, or more.
std::string only_volume(const ParsedFlags& flags);
/// Reads it. Throws what read_volume throws, Error(input) where it does not say where its cells
/// lie.
VolumeInput read_input(const std::string& path, Progress& progress);

/// Does `work`, whose errors about the input get the volume's name in front.
template <class Work>
auto about_volume(const VolumeInput& input, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw naming_inputs(error, std::span(&input.path, 1));
  }
}

/// The volume's mass: density_mass(), with warnings on standard error where values below 0 count as
/// 0, and where nothing tells of what is outside of the box.
DensityMass mass_of_input(const VolumeInput& input);

/// Rows of the file, its mass and what lies outside of the box.
void add_input(Report& report, const VolumeInput& input, const DensityMass& mass);
void add_fields(Fields<DensityMass>& fields);

}  // namespace skde::cli
