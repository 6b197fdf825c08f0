#include "viewer/layers/method/sample_slices.hpp"

#include <algorithm>
#include <cmath>

#include "engines/cpu/placed_sample.hpp"

namespace skde::view {
namespace {

IndexRange hull(IndexRange a, IndexRange b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// Adds slice z and its rows.
void add_slice(SampleSlices& to, const PlacedSample<double>& sample, std::int32_t z) {
  const Ellipsoid<double>& e = to.ellipsoid;
  const double dz = static_cast<double>(z) - sample.cell[2] - sample.offset[2];
  SampleSlice slice;
  slice.z = z;
  slice.first_row = to.rows.size();
  slice.range = crop(e, sample.offset[0], sample.offset[1], dz, to.dims[0], to.dims[1],
                     sample.cell[0], sample.cell[1]);
  std::int64_t met = 0;  // rows that the kernel meets
  for (std::int32_t y = slice.range.y.begin; y < slice.range.y.end; ++y) {
    const double dy = static_cast<double>(y) - sample.cell[1] - sample.offset[1];
    const RowSpan<double> row = span(e, dy, dz);
    if (row.half >= 0) ++met;
    to.rows.push_back(row.half >= 0 ? cells_within(sample.offset[0] + row.centre, row.half,
                                                   to.dims[0], sample.cell[0])
                                    : IndexRange{});
    slice.inside += to.rows.back().size();
  }
  if (slice.range.cells() > 0)
    to.bounds = {hull(to.bounds.x, slice.range.x), hull(to.bounds.y, slice.range.y)};
  to.total += {.slices = 1,
               .full = to.slice_cells(),
               .rows = met,
               .evaluated = slice.range.cells(),
               .inside = slice.inside};
  to.slices.push_back(slice);
}

}  // namespace

double SampleSlices::value_at(double x, double y, double z_index) const {
  const double q = ellipsoid.q(x - position.x, y - position.y, z_index - position.z);
  return q < 1 ? function->profile(q * cut * cut) / function->profile(0) : 0;
}

std::size_t SampleSlices::nearest(double z_index) const {
  if (slices.empty()) return 0;
  const double low = z.begin, high = z.end - 1;
  return static_cast<std::size_t>(std::clamp(std::rint(z_index), low, high) - low);
}

SampleSlices slice_sample(const Ellipsoid<double>& ellipsoid, const Grid& grid, Vec3 position) {
  SampleSlices slices;
  for (std::size_t axis = 0; axis < 3; ++axis)
    slices.dims[axis] = static_cast<std::int32_t>(grid.dims[axis]);
  slices.ellipsoid = ellipsoid;
  slices.position = grid.to_cells(position);
  const auto sample = place_sample<double>(grid, ellipsoid, position);
  slices.z = chop(ellipsoid, sample.offset[2], slices.dims[2], sample.cell[2]);
  slices.slices.reserve(static_cast<std::size_t>(slices.z.size()));
  for (std::int32_t z = slices.z.begin; z < slices.z.end; ++z) add_slice(slices, sample, z);
  return slices;
}

Symmetric3 world_matrix(const Ellipsoid<double>& e, const Grid& grid) {
  const Vec3 d = grid.spacing;
  const double zz = e.sz * e.sz, yz = e.bzy * zz, xz = e.mx * zz;
  const double xy = e.bxy * e.sy * e.sy + xz * e.bzy;
  return {e.rx * e.rx * d.x * d.x, xy * d.x * d.y, xz * d.x * d.z,
          e.ry * e.ry * d.y * d.y, yz * d.y * d.z, zz * d.z * d.z};
}

}  // namespace skde::view
