#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cli/option_table.hpp"
#include "core/progress.hpp"
#include "io/plane_files.hpp"
#include "skde/volume_input.hpp"
#include "skde/volume_output.hpp"

namespace skde::cli {

/// What the commands share that write planes of a volume: as a picture, an array or a table.
struct PlaneOptions {
  int axis = 2;
  std::string output;
  std::array<bool, 3> flipped{};
  bool json = false, quiet = false;
};

/// Adds --axis; `meaning` tells what it is of the planes.
void add_axis_flag(OptionTable& table, const std::string& meaning, int& axis);
/// Adds -o, --flip, --json, --quiet.
void add_plane_output(OptionTable& table, PlaneOptions& options);

/// What stands in a file.
struct PlaneFile {
  std::string title;
  std::vector<std::string> captions;  ///< one a plane
  io::PlaneSet set;
};

/// Checks before any work that the file can be written: Error(usage) where its extension is none of
/// .png, .npy and .csv, and what stands in the way of other outputs.
void check_plane_output(const ParsedFlags& flags, const PlaneOptions& options,
                        const std::string& input);
/// Writes it, and tells what was written.
std::vector<WrittenFile> write_planes(const PlaneOptions& options, const VolumeInput& input,
                                      PlaneFile file, Progress& progress);

/// "axis", "quantity", "unit", "peak" and what was written.
void add_planes(Report& report, const io::PlaneSet& set, const std::vector<WrittenFile>& written);
/// The same beside the input: of a document of this kind.
nlohmann::ordered_json planes_json(std::string_view kind, const VolumeInput& input,
                                   const io::PlaneSet& set,
                                   const std::vector<WrittenFile>& written);

/// The greatest value.
double peak_of(const io::PlaneSet& set);

}  // namespace skde::cli
