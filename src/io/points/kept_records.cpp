#include "io/points/kept_records.hpp"

#include <bit>
#include <utility>

#include "io/points/column_selection.hpp"
#include "io/points/record_reader.hpp"

namespace skde::io {

std::unique_ptr<PointReader> read_kept_points(const std::string& name, std::string xyz,
                                              const ColumnSelection& wanted) {
  const SelectedColumns selected =
      select_columns(wanted, {name, {"x", "y", "z"}, std::vector<bool>(3, true)});
  constexpr std::size_t kBytes = sizeof(double);
  RecordLayout layout;
  layout.stride = 3 * kBytes;
  layout.big_endian = std::endian::native == std::endian::big;
  for (std::size_t axis = 0; axis < 3; ++axis)
    layout.xyz[axis].offset = selected.xyz[axis] * kBytes;
  if (selected.weight) layout.weight = RecordField{*selected.weight * kBytes, ScalarType::f64};
  const std::uint64_t rows = xyz.size() / layout.stride;
  auto reader =
      read_records(BufferedSource(kept_source(name, std::move(xyz))), layout, rows, Surplus::error);
  reader->set_columns(selected.described);
  return reader;
}

}  // namespace skde::io
