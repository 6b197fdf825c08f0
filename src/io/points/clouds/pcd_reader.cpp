#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "io/points/arrays/packed_columns.hpp"
#include "io/points/arrays/promised_size.hpp"
#include "io/points/clouds/pcd_header.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/point_format_readers.hpp"
#include "io/points/record_reader.hpp"
#include "io/points/text_rows.hpp"

namespace skde::io {
namespace {

/// Positions of the columns in a row: in values for text, in bytes for records.
struct PcdColumns {
  std::vector<std::size_t> values;
  std::vector<RecordField> records;
  std::vector<std::string> names;
  std::vector<std::string> left_out;
  std::size_t row_values = 0;
  std::size_t row_bytes = 0;
};

PcdColumns columns_of(const PcdHeader& header) {
  PcdColumns columns;
  for (const PcdField& field : header.fields) {
    if (field.is_column()) {
      columns.values.push_back(columns.row_values);
      columns.records.push_back({columns.row_bytes, field.type});
      columns.names.push_back(field.name);
    } else if (field.name != "_") {
      columns.left_out.push_back(fmt::format("{} ({} numbers a row)", field.name, field.count));
    }
    columns.row_values += static_cast<std::size_t>(field.count);
    columns.row_bytes += static_cast<std::size_t>(field.count) * size_of(field.type);
  }
  return columns;
}

RecordLayout record_layout(const PcdColumns& columns, const SelectedColumns& selected) {
  RecordLayout layout;
  layout.stride = columns.row_bytes;
  for (std::size_t axis = 0; axis < 3; ++axis)
    layout.xyz[axis] = columns.records[selected.xyz[axis]];
  if (selected.weight) layout.weight = columns.records[*selected.weight];
  for (const std::size_t column : selected.widths) layout.widths.push_back(columns.records[column]);
  return layout;
}

TextLayout text_layout(const PcdColumns& columns, const SelectedColumns& selected,
                       std::uint64_t points) {
  TextLayout layout;
  layout.columns = columns.row_values;
  layout.columns_from = "the header declares";
  layout.names.resize(columns.row_values);
  for (std::size_t i = 0; i < columns.values.size(); ++i)
    layout.names[columns.values[i]] = columns.names[i];
  for (std::size_t axis = 0; axis < 3; ++axis)
    layout.selected.xyz[axis] = columns.values[selected.xyz[axis]];
  if (selected.weight) layout.selected.weight = columns.values[*selected.weight];
  for (const std::size_t column : selected.widths)
    layout.selected.widths.push_back(columns.values[column]);
  layout.selected.compared = selected.compared;
  if (selected.category) layout.selected.category = columns.values[*selected.category];
  layout.rows = points;
  return layout;
}

}  // namespace

std::unique_ptr<PointReader> open_pcd(BufferedSource source, const ColumnSelection& wanted) {
  const PcdHeader header = read_pcd_header(source);
  const PcdColumns columns = columns_of(header);
  FileColumns described{source.name(), columns.names,
                        std::vector<bool>(columns.names.size(), true)};
  described.left_out = columns.left_out;
  const SelectedColumns selected = select_columns(wanted, described);
  std::unique_ptr<PointReader> reader;
  if (header.compressed) {
    reader =
        read_packed_columns(std::move(source), record_layout(columns, selected), header.points);
  } else if (header.binary) {
    reader = read_records(std::move(source), record_layout(columns, selected), header.points,
                          Surplus::error);
  } else {
    check_promise(source, header.points, 2 * columns.row_values - 1, "points");
    reader = read_text_rows(std::move(source), text_layout(columns, selected, header.points),
                            header.lines);
  }
  reader->set_columns(selected.described);
  return reader;
}

}  // namespace skde::io
