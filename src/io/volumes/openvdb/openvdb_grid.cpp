#include "io/volumes/openvdb/openvdb_grid.hpp"

#include <openvdb/openvdb.h>
#include <openvdb/tools/Dense.h>

namespace skde::io {
namespace {

template <class GridType>
void add_values(openvdb::GridBase& to, const Grid& grid, std::int64_t first_slice,
                std::string_view values) {
  using Real = typename GridType::ValueType;
  using Dense = openvdb::tools::Dense<const Real, openvdb::tools::LayoutXYZ>;
  const auto& [nx, ny, nz] = grid.dims;
  const auto slices = static_cast<std::int64_t>(values.size() / sizeof(Real)) / (nx * ny);
  const auto index = [](std::int64_t cell) { return static_cast<int>(cell); };
  const openvdb::CoordBBox box({0, 0, index(first_slice)},
                               {index(nx - 1), index(ny - 1), index(first_slice + slices - 1)});
  openvdb::tools::copyFromDense(Dense(box, reinterpret_cast<const Real*>(values.data())),
                                static_cast<GridType&>(to), Real(0));
}

}  // namespace

openvdb::GridBase::Ptr empty_openvdb_grid(Precision precision) {
  openvdb::initialize();
  return openvdb::GridBase::createGrid(precision == Precision::f32
                                           ? openvdb::FloatGrid::gridType()
                                           : openvdb::DoubleGrid::gridType());
}

void add_openvdb_slices(openvdb::GridBase& to, const Grid& grid, std::int64_t first_slice,
                        std::string_view values) {
  if (to.isType<openvdb::FloatGrid>())
    add_values<openvdb::FloatGrid>(to, grid, first_slice, values);
  else
    add_values<openvdb::DoubleGrid>(to, grid, first_slice, values);
}

}  // namespace skde::io
