#pragma once

#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "cli/results/command_result.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/output/volume_input.hpp"
#include "commands/output/volume_output.hpp"
#include "io/volumes/plane_files.hpp"
#include "pictures/picture_look.hpp"

namespace skde::cli {

/// Options of the commands that write planes of a volume as a picture, an array or a table.
struct PlaneOptions {
  std::string axis_word = "z";
  int axis = 2;  ///< index of axis_word, once the volume is read
  std::string output, field;
  PictureLook look;
  bool json = false, quiet = false;
};

/// Adds --axis; `meaning` explains its role for the planes.
void add_axis_flag(OptionTable& table, const std::string& meaning, PlaneOptions& options);
/// Adds --field, -o, the flags of pictures, --json, --quiet.
void add_plane_output(OptionTable& table, PlaneOptions& options);

/// Planes of one quantity.
struct PlaneFile {
  std::string title;
  std::vector<std::string> captions;  ///< one per plane
  io::PlaneSet set;
};

/// Checks, before any work, that planes of these quantities can be written. With `{}` in the name
/// each quantity has a file; otherwise all share one. Throws Error(usage) if the extension is not
/// that of a picture, .npy or .csv, or if a picture would show several, and what other outputs
/// throw.
void check_plane_output(const ParsedFlags& flags, const PlaneOptions& options,
                        const std::string& input, const std::vector<std::string>& quantities);
/// Writes the quantities, clears the progress bar, and prints the summary or a document of this
/// kind.
CommandResult deliver_planes(std::string_view kind, const PlaneOptions& options,
                             const VolumeInput& input, std::vector<PlaneFile> files,
                             TerminalProgress& progress);

}  // namespace skde::cli
