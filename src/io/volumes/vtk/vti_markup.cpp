#include "io/volumes/vtk/vti_markup.hpp"

#include <fmt/core.h>

namespace skde::io {
namespace {

/// Encodes a text as VTK stores strings: the codes of its characters and a 0.
std::string character_codes(const std::string& text) {
  std::string codes;
  for (const char c : text) codes += fmt::format("{} ", static_cast<unsigned char>(c));
  return codes + '0';
}

std::string field_element(const VolumeField& field) {
  if (const auto* const numbers = std::get_if<std::vector<double>>(&field.value))
    return fmt::format(
        "      <DataArray type=\"Float64\" Name=\"{}\" NumberOfTuples=\"{}\" format=\"ascii\">{}"
        "</DataArray>\n",
        field.name, numbers->size(), field_text(field, " "));
  return fmt::format(
      "      <Array type=\"String\" Name=\"{}\" NumberOfTuples=\"1\" format=\"ascii\">{}</Array>\n",
      field.name, character_codes(std::get<std::string>(field.value)));
}

/// A name, escaped for the value of an attribute.
std::string quoted_attribute(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '&')
      text += "&amp;";
    else if (c == '<')
      text += "&lt;";
    else if (c == '>')
      text += "&gt;";
    else if (c == '"')
      text += "&quot;";
    else
      text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // control characters, which XML does
                                                               // not allow
  }
  return text;
}

const char* type_of(Precision precision) {
  return precision == Precision::f32 ? "Float32" : "Float64";
}

std::string array_elements(const Grid& grid, Precision precision,
                           const std::vector<std::string>& arrays) {
  const std::uint64_t step =
      sizeof(std::uint64_t) + static_cast<std::uint64_t>(grid.bytes(precision));
  std::string elements;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    elements += fmt::format(
        "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"1\" "
        "format=\"appended\" offset=\"{}\"/>\n",
        type_of(precision), quoted_attribute(arrays[i]), i * step);
  return elements;
}

std::string extent_of(const Grid& grid, std::int64_t z, std::int64_t slices) {
  return fmt::format("0 {} 0 {} {} {}", grid.dims[0] - 1, grid.dims[1] - 1, z, z + slices - 1);
}

/// Position of an image whose first slice is slice 0.
std::string geometry_of(const Grid& grid) {
  const Vec3 origin = grid.first_centre();
  return fmt::format("Origin=\"{} {} {}\" Spacing=\"{} {} {}\" Direction=\"1 0 0 0 1 0 0 0 1\"",
                     origin.x, origin.y, origin.z, grid.spacing.x, grid.spacing.y, grid.spacing.z);
}

std::string image_head(const Grid& grid, const std::string& extent, const std::string& attribute,
                       const std::string& first_array, const std::string& arrays,
                       const VolumeFields& fields, std::size_t blanks) {
  std::string elements;
  for (const VolumeField& field : fields) elements += field_element(field);
  return fmt::format(
      R"(<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64"{}>
  <ImageData WholeExtent="{}" {}>
    <FieldData>
{}{:{}}
    </FieldData>
    <Piece Extent="{}">
      <PointData Scalars="{}">
{}      </PointData>
    </Piece>
  </ImageData>
  <AppendedData encoding="raw">
   _)",
      attribute, extent, geometry_of(grid), elements, "", blanks, extent,
      quoted_attribute(first_array), arrays);
}

}  // namespace

std::string vti_head(const Grid& grid, Precision precision, bool compressed,
                     const std::vector<std::string>& arrays, const VolumeFields& fields,
                     std::size_t blanks) {
  return image_head(grid, extent_of(grid, 0, grid.dims[2]),
                    compressed ? " compressor=\"vtkZLibDataCompressor\"" : "", arrays.front(),
                    array_elements(grid, precision, arrays), fields, blanks);
}

std::string vti_piece_head(const Grid& grid, std::int64_t z, std::int64_t slices,
                           Precision precision, const std::string& array,
                           const VolumeFields& fields) {
  return image_head(grid, extent_of(grid, z, slices), "", array,
                    array_elements(grid, precision, {array}), fields, 0);
}

std::string pvti_text(const Grid& grid, Precision precision, const std::string& array,
                      const std::vector<VtiPiece>& pieces) {
  std::string elements;
  for (const VtiPiece& piece : pieces)
    elements += fmt::format("    <Piece Extent=\"{}\" Source=\"{}\"/>\n",
                            extent_of(grid, piece.z, piece.slices), quoted_attribute(piece.file));
  return fmt::format(
      R"(<?xml version="1.0"?>
<VTKFile type="PImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <PImageData WholeExtent="{}" GhostLevel="0" {}>
    <PPointData Scalars="{}">
      <PDataArray type="{}" Name="{}" NumberOfComponents="1"/>
    </PPointData>
{}  </PImageData>
</VTKFile>
)",
      extent_of(grid, 0, grid.dims[2]), geometry_of(grid), quoted_attribute(array),
      type_of(precision), quoted_attribute(array), elements);
}

}  // namespace skde::io
