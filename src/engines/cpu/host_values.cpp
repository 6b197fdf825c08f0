#include "engines/cpu/host_values.hpp"

#include <algorithm>

namespace skde {

Grid HostValues::storage_grid(const Target& target) {
  if (const Grid* grid = std::get_if<Grid>(&target)) return *grid;
  return {{}, {1, 1, 1}, {target_size(target), 1, 1}};
}

Volume HostValues::take_volume() {
  static_cast<void>(grid());  // throws if the targets are points
  target_ = TargetPoints();   // so that fits() rejects what is left
  return std::exchange(volume_, Volume());
}

void HostValues::put_slices(Volume& whole, std::int64_t first) {
  const auto begin = first * grid().dims[0] * grid().dims[1];
  if (precision() == Precision::f32)
    std::ranges::copy(volume_.values<float>(), whole.values<float>().begin() + begin);
  else
    std::ranges::copy(volume_.values<double>(), whole.values<double>().begin() + begin);
}

std::vector<double> HostValues::take_point_values() {
  std::vector<double> values(static_cast<std::size_t>(volume_.grid().cells()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = volume_.at(static_cast<std::int64_t>(i), 0, 0);
  return values;
}

}  // namespace skde
