#pragma once

#include <string>
#include <vector>

namespace skde {
class Volume;
struct DensityMetadata;
struct LevelLine;
struct PictureLook;
}  // namespace skde

namespace skde::cli {

class OptionTable;
struct ParsedFlags;

/// Adds --flip, --title, --colors, --log and --mass-lines.
void add_look_flags(OptionTable& table, PictureLook& look);
/// Throws Error(usage) if one of them is given, and there is no picture; `without` says that.
void require_no_look(const ParsedFlags& flags, const char* without);
/// Returns whether files of this name are pictures: .png, .svg or .pdf.
bool is_picture_name(const std::string& path);
/// Throws Error(unsupported) in builds without pictures, and Error(usage) for another extension.
void require_picture(const std::string& path);
/// Returns the lines of the look around the regions with these shares of the density's mass. Throws
/// what density_mass() and mass_levels() throw.
std::vector<LevelLine> mass_lines(const PictureLook& look, const Volume& volume,
                                  const DensityMetadata& metadata);

}  // namespace skde::cli
