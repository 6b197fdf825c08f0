#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/points/arrays/promised_size.hpp"
#include "io/points/clouds/ply_header.hpp"
#include "io/points/clouds/ply_list_rows.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/point_format_readers.hpp"
#include "io/points/record_reader.hpp"
#include "io/points/splats/splat_columns.hpp"
#include "io/points/text_rows.hpp"
#include "io/text_fields.hpp"

namespace skde::io {
namespace {

/// Indices of the scalar properties, which are the columns of an element.
std::vector<std::size_t> scalar_properties(const PlyElement& element) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < element.properties.size(); ++i)
    if (!element.properties[i].list) indices.push_back(i);
  return indices;
}

/// Names the lists of vertices, and the other elements.
std::vector<std::string> left_out_of(const PlyHeader& header) {
  std::vector<std::string> names;
  for (const PlyElement& element : header.elements) {
    if (element.name != "vertex" && element.count > 0)
      names.push_back(fmt::format("element {}", element.name));
    for (const PlyProperty& property : element.properties)
      if (element.name == "vertex" && property.list)
        names.push_back(fmt::format("list {}", property.name));
  }
  return names;
}

/// The result holds indices into the properties of `vertex`.
SelectedColumns select_properties(const PlyHeader& header, const PlyElement& vertex,
                                  const std::string& file, const ColumnSelection& wanted) {
  const std::vector<std::size_t> scalars = scalar_properties(vertex);
  FileColumns columns{file, {}, std::vector<bool>(scalars.size(), true)};
  columns.left_out = left_out_of(header);
  for (std::size_t i : scalars) columns.names.push_back(vertex.properties[i].name);
  SelectedColumns selected = select_columns(wanted, columns);
  describe_splats(wanted, columns.names, selected);
  for (std::size_t& column : selected.xyz) column = scalars[column];
  if (selected.weight) selected.weight = scalars[*selected.weight];
  for (std::size_t& column : selected.widths) column = scalars[column];
  if (selected.category) selected.category = scalars[*selected.category];
  return selected;
}

RecordLayout record_layout(const PlyElement& vertex, PlyEncoding encoding,
                           const SelectedColumns& selected) {
  std::vector<RecordField> fields;
  RecordLayout layout;
  for (const PlyProperty& property : vertex.properties) {
    fields.push_back({layout.stride, property.type});
    layout.stride += size_of(property.type);
  }
  layout.big_endian = encoding == PlyEncoding::big_endian;
  for (std::size_t axis = 0; axis < 3; ++axis) layout.xyz[axis] = fields[selected.xyz[axis]];
  if (selected.weight) layout.weight = fields[*selected.weight];
  for (const std::size_t column : selected.widths) layout.widths.push_back(fields[column]);
  return layout;
}

TextLayout text_layout(const PlyElement& vertex, const SelectedColumns& selected, bool is_last) {
  TextLayout layout;
  layout.columns = vertex.properties.size();
  layout.columns_from = "the header declares";
  layout.selected = selected;
  for (const PlyProperty& property : vertex.properties) layout.names.push_back(property.name);
  layout.comments = false;
  layout.rows = vertex.count;
  layout.surplus = is_last ? Surplus::error : Surplus::ignore;
  return layout;
}

/// Refuses Gaussian splats whose positions are packed into 32 bits, relative to chunks of splats.
void refuse_packed(const PlyElement& vertex, const std::string& file) {
  if (std::ranges::none_of(vertex.properties, [](const PlyProperty& property) {
        return property.name == "packed_position";
      }))
    return;
  throw Error(
      ErrorKind::input,
      fmt::format("{}: is a compressed Gaussian splat, but does not declare its chunks at its head",
                  file),
      {{}, "decompress it with 'splat-transform IN.ply OUT.ply'"});
}

using ElementIterator = std::vector<PlyElement>::iterator;

/// Skips the elements before the vertices, then opens the vertices.
std::unique_ptr<PointReader> open_vertices(BufferedSource source, PlyHeader header,
                                           ElementIterator vertex,
                                           const SelectedColumns& selected) {
  for (auto element = header.elements.begin(); element != vertex; ++element) {
    check_promise(source, element->count, element->least_row_bytes(header.encoding),
                  "rows of element " + excerpt(element->name));
    skip_ply_element(source, *element, header.encoding, header.lines);
  }
  check_promise(source, vertex->count, vertex->least_row_bytes(header.encoding), "vertices");
  if (vertex->has_lists())
    return read_ply_list_rows(std::move(source), std::move(*vertex), header.encoding, selected,
                              header.lines);
  const bool is_last = std::next(vertex) == header.elements.end();
  if (header.encoding == PlyEncoding::ascii)
    return read_text_rows(std::move(source), text_layout(*vertex, selected, is_last), header.lines);
  // Some files have a line end after the last element.
  return read_records(std::move(source), record_layout(*vertex, header.encoding, selected),
                      vertex->count, is_last ? Surplus::less_than_a_row : Surplus::ignore);
}

}  // namespace

std::unique_ptr<PointReader> open_ply(BufferedSource source, const ColumnSelection& columns) {
  PlyHeader header = read_ply_header(source);
  const auto vertex = std::ranges::find(header.elements, "vertex", &PlyElement::name);
  if (vertex == header.elements.end())
    throw Error(ErrorKind::input,
                fmt::format("{}: the header has no element 'vertex'; this PLY file holds no points",
                            source.name()));
  refuse_packed(*vertex, source.name());
  const SelectedColumns selected = select_properties(header, *vertex, source.name(), columns);
  auto reader = open_vertices(std::move(source), std::move(header), vertex, selected);
  reader->set_columns(selected.described);
  return reader;
}

}  // namespace skde::io
