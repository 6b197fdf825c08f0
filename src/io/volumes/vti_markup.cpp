#include "io/volumes/vti_markup.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace skde::io {
namespace {

/// A text as VTK keeps strings in files: the codes of its characters and a 0.
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

/// A name as the value of an attribute.
std::string quoted(std::string_view name) {
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
      text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // which no XML may hold
  }
  return text;
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
        precision == Precision::f32 ? "Float32" : "Float64", quoted(arrays[i]), i * step);
  return elements;
}

}  // namespace

std::string vti_head(const Grid& grid, Precision precision, bool compressed,
                     const std::vector<std::string>& arrays, const VolumeFields& fields,
                     std::size_t blanks) {
  const Vec3 origin = grid.first_centre();
  const std::string extent =
      fmt::format("0 {} 0 {} 0 {}", grid.dims[0] - 1, grid.dims[1] - 1, grid.dims[2] - 1);
  std::string elements;
  for (const VolumeField& field : fields) elements += field_element(field);
  return fmt::format(
      R"(<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64"{}>
  <ImageData WholeExtent="{}" Origin="{} {} {}" Spacing="{} {} {}" Direction="1 0 0 0 1 0 0 0 1">
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
      compressed ? " compressor=\"vtkZLibDataCompressor\"" : "", extent, origin.x, origin.y,
      origin.z, grid.spacing.x, grid.spacing.y, grid.spacing.z, elements, "", blanks, extent,
      quoted(arrays.front()), array_elements(grid, precision, arrays));
}

}  // namespace skde::io
