#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/points/columns/column_selection.hpp"
#include "io/points/splats/splat_cloud.hpp"

namespace skde::io {

/// What 2DGS files are.
inline constexpr std::string_view kOfTwoScales =
    "has splats of two scales (2DGS), flat discs without a density";

/// A column of splats that lie in memory, as the PLY files in which they are trained name it.
struct SplatColumn {
  std::string name;
  const double* doubles = nullptr;  ///< of the first splat; null if the column holds floats
  const float* floats = nullptr;
  std::size_t stride = 0;  ///< numbers from one splat to the next

  double at(std::size_t splat) const {
    return doubles != nullptr ? doubles[splat * stride]
                              : static_cast<double>(floats[splat * stride]);
  }
};

/// Returns the columns in the order of those files: x, y, z, f_dc_0 to 2, f_rest_0 ..., opacity,
/// scale_0 to 2, rot_0 to 3. The splats must outlive them.
std::vector<SplatColumn> splat_columns(const SplatCloud& splats);

/// Adds to the description of what is read from splats with these columns that they are splats.
void describe_splats(const ColumnSelection& wanted, const std::vector<std::string>& names,
                     SelectedColumns& selected);

}  // namespace skde::io
