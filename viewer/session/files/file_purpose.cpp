#include "viewer/session/files/file_purpose.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "io/meshes/mesh_formats.hpp"
#include "io/points/formats/point_formats.hpp"
#include "io/points/point_writer.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::view {
namespace {

using Names = std::vector<std::string>;

/// Adds the extensions in a list such as ".hdf5 .h5" or ".ply, .npy".
void add(Names& names, std::string_view list) {
  std::string text(list);
  std::ranges::replace(text, ',', ' ');
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (std::ranges::count(names, word) == 0) names.push_back(word);
}

Names volumes() {
  Names names;
  for (const io::VolumeFormat& format : io::volume_formats())
    if (format.unavailable.empty()) add(names, format.extension);
  return names;
}

Names inputs() {
  Names names = volumes();
  add(names, ".nhdr .mhd .hdr");  // headers of volumes whose values are in another file
  for (const io::PointFormat& format : io::point_formats())
    if (format.unavailable.empty()) add(names, format.extensions);
  return names;
}

Names listed(const std::string& list) {
  Names names;
  add(names, list);
  return names;
}

constexpr std::array<FileUse, 7> kUses{{
    {FilePurpose::open, "Open", "open", "", inputs},
    {FilePurpose::open_view, "Open a view", "open", "", [] { return Names{".json"}; }},
    {FilePurpose::save_view, "Save the view", "save", "view.json", [] { return Names{".json"}; }},
    {FilePurpose::volume, "Save the volume", "save", "density.vti", volumes},
    {FilePurpose::surface, "Save the surface", "save", "surface.ply",
     [] { return listed(io::mesh_extensions()); }},
    {FilePurpose::samples, "Save the samples", "save", "samples.ply",
     [] { return listed(io::point_writer_extensions()); }},
    {FilePurpose::picture, "Save the picture", "save", "skde-view.png",
     [] {
       return Names{".png", ".svg", ".pdf"};
     }},
}};

}  // namespace

const FileUse& file_use(FilePurpose purpose) {
  return *std::ranges::find(kUses, purpose, &FileUse::purpose);
}

}  // namespace skde::view
