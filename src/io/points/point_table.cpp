#include "io/points/point_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "io/bytes/input_stamps.hpp"
#include "io/points/columns/geographic.hpp"
#include "io/points/formats/open_points.hpp"

namespace skde::io {
namespace {

/// Positions in the table of the columns that are read, in the order of the file.
struct Places {
  std::vector<ReadColumn> columns;  ///< x, y, z, the weight if there is one, then the others
  std::vector<std::size_t> of;      ///< position of each in the table

  explicit Places(const ReadColumns& read) : columns(read.xyz.begin(), read.xyz.end()) {
    if (read.weight) columns.push_back(*read.weight);
    columns.insert(columns.end(), read.widths.begin(), read.widths.end());
    numbers.reserve(columns.size());
    for (const ReadColumn& column : columns) numbers.push_back(column.number);
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    for (const ReadColumn& column : columns)
      of.push_back(static_cast<std::size_t>(std::ranges::lower_bound(numbers, column.number) -
                                            numbers.begin()));
    count = numbers.size();
  }
  std::vector<std::size_t> numbers{};  ///< of the columns of the table
  std::size_t count = 0;
};

std::string column_name(const ReadColumn& column) {
  return column.name.empty() ? fmt::format("column {}", column.number) : column.name;
}

PointTable table_of(const ReadColumns& read, const Places& places, std::size_t named) {
  PointTable table;
  table.names.resize(places.count);
  table.numbers = places.numbers;
  table.columns = read;
  table.left_out = read.left_out;
  for (std::size_t i = 0; i < places.columns.size(); ++i) {
    const ReadColumn& column = places.columns[i];
    table.names[places.of[i]] = column_name(column);
  }
  std::copy_n(places.of.begin(), 3, table.xyz.begin());
  if (read.weight) table.weight = places.of[3];
  const std::size_t first = read.weight ? 4 : 3;
  for (std::size_t i = 0; i < named; ++i) table.others.push_back(places.of[first + i]);
  return table;
}

/// Appends what a chunk of rows carries to the table, which has `before` rows.
void append_carried(const CarriedRows& from, const Places& places, std::size_t before,
                    CarriedRows& to) {
  to.delimiter = from.delimiter;
  to.names = from.names;
  to.lines.insert(to.lines.end(), from.lines.begin(), from.lines.end());
  for (const CarriedRows::Rest& one : from.rests)
    to.note(before + one.row, places.of[one.column], one.rest);
}

}  // namespace

void PointTable::keep_rows(std::span<const std::uint32_t> rows) {
  const std::size_t width = names.size();
  CarriedRows kept{.delimiter = carried.delimiter, .names = carried.names};
  for (std::size_t to = 0; to < rows.size(); ++to) {
    const std::size_t from = rows[to];
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from * width), width,
                values.begin() + static_cast<std::ptrdiff_t>(to * width));
    if (!carried.lines.empty()) kept.lines.push_back(std::move(carried.lines[from]));
    for (std::size_t column = 0; column < width && !carried.rests.empty(); ++column)
      kept.note(to, column, carried.rest_of(from, column));
  }
  values.resize(rows.size() * width);
  lengths.clear();
  carried = std::move(kept);
}

PointTable read_point_table(const std::string& path, ColumnSelection columns, Progress& progress,
                            const OpenFiles& files, const TableLimit& limit) {
  constexpr std::size_t kRows = 1 << 14;
  columns.widths.clear();
  columns.all_others = true;
  columns.keeps_degrees = true;
  const InputStamps opened({path});
  const std::unique_ptr<PointReader> reader = open_points(path, columns, files);
  ReadColumns read = reader->columns();
  if (reader->width_columns() == 0) {  // the format provides only coordinates
    for (const ReadColumn& column : read.widths) read.left_out.push_back(column_name(column));
    read.widths.clear();
  }
  std::optional<GeographicPlaces> degrees;
  if (columns.geographic.wanted()) degrees.emplace(columns.geographic, read, source_name(path));
  const Places places(read);
  PointTable table = table_of(read, places, columns.others.size());
  if (degrees) table.columns.frame = degrees->described().frame;
  progress.begin("read " + path, reader->bytes_total(), "B");
  const std::size_t others = reader->width_columns();
  Samples chunk;
  while (table.rows() < limit.rows && table.bytes <= limit.bytes &&
         reader->read(chunk, std::min(kRows, limit.rows - table.rows()))) {
    progress.throw_if_cancelled();
    const std::size_t before = table.values.size(), rows = chunk.size();
    if (const CarriedRows* const carried = reader->carried()) {
      append_carried(*carried, places, table.rows(), table.carried);
      table.bytes += carried->bytes();
    }
    table.values.resize(before + rows * places.count);
    for (std::size_t row = 0; row < rows; ++row) {
      double* const to = &table.values[before + row * places.count];
      std::size_t column = 0;
      for (std::size_t axis = 0; axis < 3; ++axis)
        to[places.of[column++]] = chunk.xyz[3 * row + axis];
      if (table.weight) to[places.of[column++]] = chunk.weights[row];
      for (std::size_t i = 0; i < others; ++i)
        to[places.of[column++]] = chunk.bandwidth_factors[row * others + i];
    }
    if (degrees) {
      degrees->convert(chunk.xyz, [&](std::size_t row) { return reader->place_of(row); });
      table.lengths.insert(table.lengths.end(), chunk.xyz.begin(), chunk.xyz.end());
    }
    table.bytes += rows * (places.count + (degrees ? 3 : 0)) * sizeof(double);
    progress.update(reader->bytes_read());
  }
  opened.require_unchanged();
  std::ranges::sort(table.carried.rests);
  if (columns.keeps_lines && !table.carried.lines.empty()) table.left_out.clear();
  return table;
}

}  // namespace skde::io
