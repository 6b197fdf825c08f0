#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/command_result.hpp"
#include "cli/options/option_table.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/output/volume_input.hpp"
#include "commands/output/volume_output.hpp"
#include "io/plane_files.hpp"

namespace skde::cli {

/// What the commands share that write planes of a volume: as a picture, an array or a table.
struct PlaneOptions {
  std::string axis_word = "z";
  int axis = 2;  ///< that of the word, once the volume is read
  std::string output;
  std::array<bool, 3> flipped{};
  bool json = false, quiet = false;
};

/// Adds --axis; `meaning` tells what it is of the planes.
void add_axis_flag(OptionTable& table, const std::string& meaning, PlaneOptions& options);
/// The axis that is called x, y, z or as the volume's file calls it; Error(usage) where none is.
int axis_called(const std::string& word, const DensityMetadata& metadata);
/// Adds -o, --flip, --json, --quiet.
void add_plane_output(OptionTable& table, PlaneOptions& options);

/// Planes of one quantity.
struct PlaneFile {
  std::string title;
  std::vector<std::string> captions;  ///< one a plane
  io::PlaneSet set;
};

/// Checks before any work that planes of these quantities can be written: Error(usage) where the
/// extension is none of .png, .npy and .csv, or a picture is to show several, and what stands in
/// the way of other outputs. With `{}` in the name each has a file, and they are together without.
void check_plane_output(const ParsedFlags& flags, const PlaneOptions& options,
                        const std::string& input, const std::vector<std::string>& quantities);
/// Writes the quantities, clears the bar, and prints the summary or a document of this kind.
CommandResult deliver_planes(std::string_view kind, const PlaneOptions& options,
                             const VolumeInput& input, std::vector<PlaneFile> files,
                             TerminalProgress& progress);

}  // namespace skde::cli
