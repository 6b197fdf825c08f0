#include "io/points/readers/column_reader.hpp"

#include <bit>
#include <utility>

#include "io/points/readers/record_reader.hpp"

namespace skde::io {
namespace {

/// Reads the selected ones from records of `columns` doubles.
std::unique_ptr<PointReader> read_doubles(const std::string& name, std::string records,
                                          std::size_t columns, const SelectedColumns& read) {
  RecordLayout layout;
  layout.stride = columns * sizeof(double);
  layout.big_endian = std::endian::native == std::endian::big;
  set_fields(read, ScalarType::f64, layout);
  const std::uint64_t rows = records.size() / layout.stride;
  auto reader = read_records(BufferedSource(kept_source(name, std::move(records))), layout, rows,
                             Surplus::error);
  reader->set_columns(read.described);
  return reader;
}

}  // namespace

std::unique_ptr<PointReader> read_kept_points(const std::string& name, std::string xyz,
                                              const ColumnSelection& wanted) {
  return read_doubles(name, std::move(xyz), 3,
                      select_columns(wanted, {name, {"x", "y", "z"}, std::vector<bool>(3, true)}));
}

std::unique_ptr<PointReader> read_kept_rows(const std::string& name, std::string rows,
                                            const SelectedColumns& selected) {
  SelectedColumns kept;
  kept.xyz = {0, 1, 2};
  kept.described = selected.described;
  std::size_t columns = 3;
  if (selected.weight) kept.weight = columns++;
  for (std::size_t i = 0; i < selected.widths.size(); ++i) kept.widths.push_back(columns++);
  return read_doubles(name, std::move(rows), columns, kept);
}

}  // namespace skde::io
