#include "io/volumes/file_axes.hpp"

#include <cmath>
#include <vector>

#include "io/volumes/volume_values.hpp"

namespace skde::io {
namespace {

/// The world axis that the vector is along.
std::size_t axis_of(const std::string& name, Vec3 vector, double tolerance) {
  std::size_t longest = 0;
  for (std::size_t axis = 1; axis < 3; ++axis)
    if (std::abs(vector[static_cast<int>(axis)]) > std::abs(vector[static_cast<int>(longest)]))
      longest = axis;
  const double length = std::abs(vector[static_cast<int>(longest)]);
  if (!std::isfinite(length) || length == 0) refuse_volume(name, "its spacing is not above 0");
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (axis != longest && !(std::abs(vector[static_cast<int>(axis)]) <= tolerance * length))
      refuse_volume(name, "is a rotated volume; skde reads axis-aligned volumes only",
                    "resample it along the axes");
  return longest;
}

template <class Real>
void reorder(std::span<Real> values, const FileAxes& axes, const Grid& grid) {
  const std::vector<Real> from(values.begin(), values.end());
  const std::array<std::int64_t, 3> stride{1, grid.dims[0], grid.dims[0] * grid.dims[1]};
  std::array<std::int64_t, 3> step{};
  std::int64_t start = 0;
  for (std::size_t f = 0; f < 3; ++f) {
    const std::size_t w = axes.world[f];
    const bool down = axes.step[static_cast<int>(w)] < 0;
    step[f] = down ? -stride[w] : stride[w];
    if (down) start += stride[w] * (axes.sizes[f] - 1);
  }
  std::size_t next = 0;
  for (std::int64_t k = 0; k < axes.sizes[2]; ++k) {
    for (std::int64_t j = 0; j < axes.sizes[1]; ++j) {
      const std::int64_t row = start + k * step[2] + j * step[1];
      for (std::int64_t i = 0; i < axes.sizes[0]; ++i)
        values[static_cast<std::size_t>(row + i * step[0])] = from[next++];
    }
  }
}

}  // namespace

FileAxes axes_along(const std::string& name, const std::array<std::int64_t, 3>& sizes, Vec3 first,
                    const std::array<Vec3, 3>& vectors, double tolerance) {
  FileAxes axes{sizes, {}, first, {}};
  for (std::size_t f = 0; f < 3; ++f) {
    const std::size_t w = axes.world[f] = axis_of(name, vectors[f], tolerance);
    if (axes.step[static_cast<int>(w)] != 0)
      refuse_volume(name, "two of its axes have the same direction; the file is broken");
    axes.step[static_cast<int>(w)] = vectors[f][static_cast<int>(w)];
  }
  return axes;
}

Grid grid_along(const std::string& name, const FileAxes& axes) {
  std::array<std::int64_t, 3> dims{};
  Vec3 first = axes.first, spacing;
  for (std::size_t f = 0; f < 3; ++f) {
    const std::size_t w = axes.world[f];
    const int axis = static_cast<int>(w);
    dims[w] = axes.sizes[f];
    spacing[axis] = std::abs(axes.step[axis]);
    if (axes.step[axis] < 0)
      first[axis] += static_cast<double>(axes.sizes[f] - 1) * axes.step[axis];
  }
  return grid_of_file(name, first, spacing, dims);
}

void put_in_order(Volume& volume, const FileAxes& axes) {
  const bool as_in_memory = axes.world == std::array<std::size_t, 3>{0, 1, 2} && axes.step.x > 0 &&
                            axes.step.y > 0 && axes.step.z > 0;
  if (as_in_memory) return;
  if (volume.precision() == Precision::f32)
    reorder(volume.values<float>(), axes, volume.grid());
  else
    reorder(volume.values<double>(), axes, volume.grid());
}

}  // namespace skde::io
