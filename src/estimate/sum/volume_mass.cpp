#include "estimate/sum/volume_mass.hpp"

#include <algorithm>
#include <cstdint>

namespace skde {

double volume_mass(const Volume& volume, Progress& progress) {
  constexpr std::int64_t kFewest = 32, kCells = std::int64_t{1} << 22;
  const auto& dims = volume.grid().dims;
  const std::int64_t at_once = std::max(kFewest, kCells / (dims[0] * dims[1]));
  const std::int64_t slices = dims[2];
  progress.begin("mass", static_cast<std::uint64_t>(slices), "slices");
  double sum = 0;
  for (std::int64_t z = 0; z < slices; z += at_once) {
    progress.throw_if_cancelled();
    sum += volume.sum_of(z, std::min(at_once, slices - z));
    progress.update(static_cast<std::uint64_t>(std::min(z + at_once, slices)));
  }
  return sum * volume.grid().cell_volume();
}

}  // namespace skde
