#include "viewer/layers/method/cell_colors.hpp"

#include <algorithm>

namespace skde::view {

void for_inside_cells(const SampleSlices& slices, const SampleSlice& slice, int side,
                      const std::function<void(const CellBlock&)>& draw) {
  const auto rows = slices.rows_of(slice);
  const IndexRange y = slice.range.y;
  for (int low = y.begin; low < y.end; low += side) {
    const int high = std::min(low + side, y.end), middle = (low + high - 1) / 2;
    const IndexRange row = rows[static_cast<std::size_t>(middle - y.begin)];
    for (int left = row.begin; left < row.end; left += side) {
      const int right = std::min(left + side, row.end);
      const double value =
          slices.value_at(0.5 * (left + right - 1), middle, static_cast<double>(slice.z));
      draw({{left, low}, {right, high}, value});
    }
  }
}

}  // namespace skde::view
