#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "io/text/text_fields.hpp"
#include "io/volumes/rewritten_head.hpp"
#include "io/volumes/volume_fields.hpp"
#include "io/volumes/volume_files.hpp"

namespace skde::io {
namespace {

/// `text` on one line, escaped like the values of NRRD keys.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\\\";
    } else if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return on_one_line(result);
}

/// Returns the header up to the empty line that ends it, with the blanks in a comment. Without a
/// space field, Slicer would mirror x and y.
std::string header_text(const Grid& grid, Precision precision, std::string_view units,
                        const VolumeFields& fields, std::size_t blanks) {
  const Vec3 origin = grid.first_centre(), &step = grid.spacing;
  std::string text = fmt::format(
      "NRRD0005\n# density volume\ntype: {}\ndimension: 3\nspace: right-anterior-superior\nsizes: "
      "{} {} {}\n"
      "space directions: ({},0,0) (0,{},0) (0,0,{})\nkinds: space space space\n"
      "centerings: cell cell cell\nendian: little\nencoding: raw\nspace origin: ({},{},{})\n",
      precision == Precision::f32 ? "float" : "double", grid.dims[0], grid.dims[1], grid.dims[2],
      step.x, step.y, step.z, origin.x, origin.y, origin.z);
  if (!units.empty()) {
    std::string unit = on_one_line(units);
    std::ranges::replace(unit, '"', '\'');
    text += fmt::format("space units: \"{0}\" \"{0}\" \"{0}\"\n", unit);
  }
  for (const VolumeField& field : fields)
    text += fmt::format("{}:={}\n", field.name, escaped(field_text(field, " ")));
  return text + fmt::format("#{:{}}\n\n", "", blanks);
}

}  // namespace

VolumeFrame nrrd_frame(const Grid& grid, Precision precision, const DensityMetadata& metadata) {
  return {header_text(grid, precision, metadata.units, fields_of(metadata, grid), 0), ""};
}

std::unique_ptr<VolumeWriter> nrrd_writer(const std::string& path, const Grid& grid,
                                          Precision precision, const DensityMetadata& expected) {
  return headed_writer(path, grid, precision, expected,
                       [=, units = expected.units](const VolumeFields& fields, std::size_t blanks) {
                         return header_text(grid, precision, units, fields, blanks);
                       });
}

}  // namespace skde::io
