#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/fit/smaller_volumes.hpp"
#include "core/report/error.hpp"
#if SKDE_HAS_OPENVDB
#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/Dense.h>

#include <sstream>
#endif

namespace skde::bench {

#if SKDE_HAS_OPENVDB
namespace {

using Dense = openvdb::tools::Dense<float, openvdb::tools::LayoutXYZ>;

openvdb::CoordBBox box_of(const Grid& grid) {
  const auto last = [&grid](std::size_t axis) { return static_cast<int>(grid.dims[axis] - 1); };
  return {{0, 0, 0}, {last(0), last(1), last(2)}};
}

/// The file of these values, x fastest; zeros are background.
std::string half_file(std::vector<float> values, const Grid& grid) {
  // The library creates it: creating it here would compile the whole tree again.
  const auto sparse = openvdb::gridPtrCast<openvdb::FloatGrid>(
      openvdb::GridBase::createGrid(openvdb::FloatGrid::gridType()));
  openvdb::tools::copyFromDense(Dense(box_of(grid), values.data()), *sparse, 0.0F);
  sparse->setName("density");
  sparse->setGridClass(openvdb::GRID_FOG_VOLUME);
  sparse->setSaveFloatAsHalf(true);
  std::ostringstream out(std::ios::binary);
  openvdb::io::Stream(out).write(openvdb::GridCPtrVec{sparse});
  return std::move(out).str();
}

std::vector<float> values_in(const std::string& file, const Grid& grid) {
  std::istringstream in(file, std::ios::binary);
  const openvdb::GridPtrVecPtr grids = openvdb::io::Stream(in, false).getGrids();
  std::vector<float> values(static_cast<std::size_t>(grid.cells()));
  Dense dense(box_of(grid), values.data());
  openvdb::tools::copyToDense(*openvdb::gridPtrCast<openvdb::FloatGrid>(grids->front()), dense);
  return values;
}

/// Sets the values below `least` to 0.
std::vector<float> kept_of(std::vector<float> values, float least) {
  for (float& value : values)
    if (value < least) value = 0;
  return values;
}

}  // namespace

SmallerVolume half_openvdb_volume(const Volume& volume, double bytes) {
  openvdb::initialize();
  const Grid& grid = volume.grid();
  const auto peak = static_cast<float>(volume.maximum());
  std::vector<float> values =
      std::visit([](const auto& given) { return std::vector<float>(given.begin(), given.end()); },
                 volume.value_span());
  for (float& value : values) value /= peak;
  std::vector<float> sorted = values;
  std::ranges::sort(sorted, std::greater<>());
  // Bisects by the number of values that are kept: `few` fit, `many` do not.
  const auto file_of = [&](std::size_t kept) {
    return half_file(kept_of(values, sorted[kept - 1]), grid);
  };
  std::size_t few = 1, many = sorted.size();
  std::string best = file_of(many);
  if (static_cast<double>(best.size()) > bytes) {
    best = file_of(few);
    while (many - few > std::max<std::size_t>(few / 100, 1)) {
      const std::size_t middle = few + (many - few) / 2;
      std::string file = file_of(middle);
      const bool fits = static_cast<double>(file.size()) <= bytes;
      (fits ? few : many) = middle;
      if (fits) best = std::move(file);
    }
  }
  std::vector<float> kept = values_in(best, grid);
  for (float& value : kept) value *= peak;
  return {{grid, std::move(kept)}, static_cast<double>(best.size())};
}
#else
SmallerVolume half_openvdb_volume(const Volume&, double) {
  throw Error(ErrorKind::unsupported,
              "this build has no OpenVDB; configure it with SKDE_WITH_OPENVDB=ON");
}
#endif

}  // namespace skde::bench
