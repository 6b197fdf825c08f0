#include "io/volumes/openvdb/openvdb_surface.hpp"

#include <openvdb/tools/VolumeToMesh.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "core/report/error.hpp"
#include "io/volumes/openvdb/openvdb_grid.hpp"
#include "io/volumes/volume_values.hpp"
#include "io/volumes/volume_writer.hpp"

namespace skde::io {
namespace {

/// The values, surrounded by 0, with index = cell.
openvdb::GridBase::Ptr sparse_values(const Volume& volume, Progress& progress) {
  constexpr std::int64_t kSlicesAtOnce = 16;  // two leaves high
  const Grid& grid = volume.grid();
  const std::int64_t nz = grid.dims[2];
  const std::size_t slice = slice_bytes(grid, volume.precision());
  const std::string_view values = bytes_of(volume.value_span());
  const auto sparse = empty_openvdb_grid(volume.precision());
  progress.begin("meshing", static_cast<std::uint64_t>(nz), "slices");
  for (std::int64_t z = 0; z < nz; z += kSlicesAtOnce) {
    progress.throw_if_cancelled();
    const std::int64_t end = std::min(nz, z + kSlicesAtOnce);
    add_openvdb_slices(*sparse, grid, z,
                       values.substr(static_cast<std::size_t>(z) * slice,
                                     static_cast<std::size_t>(end - z) * slice));
    progress.update(static_cast<std::uint64_t>(end));
  }
  return sparse;
}

/// Converts to world units. Points beyond the faces of the box, where the surrounding zeros begin,
/// are moved back to the faces.
std::vector<Vec3> world_points(const std::vector<openvdb::Vec3s>& cells, const Grid& grid) {
  std::vector<Vec3> points(cells.size());
  const Vec3 first = grid.first_centre();
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const double most = static_cast<double>(grid.dims[static_cast<std::size_t>(axis)]) - 0.5;
      const double place = std::clamp(static_cast<double>(cells[i][axis]), -0.5, most);
      points[i][axis] = first[axis] + place * grid.spacing[axis];
    }
  return points;
}

template <class GridType>
TriangleMesh mesh_of(const Volume& volume, double level, Progress& progress) {
  const openvdb::GridBase::Ptr sparse = sparse_values(volume, progress);
  std::vector<openvdb::Vec3s> points;
  std::vector<openvdb::Vec3I> triangles;  // stays empty: only adaptive meshes have triangles
  std::vector<openvdb::Vec4I> quads;
  constexpr double kEveryCell = 0;
  // The library contains this function compiled for floats and doubles. Its class VolumeToMesh
  // would be compiled here, which takes a minute.
  openvdb::tools::volumeToMesh(static_cast<const GridType&>(*sparse), points, triangles, quads,
                               level, kEveryCell, /*relaxDisorientedTriangles=*/false);
  progress.throw_if_cancelled();
  if (points.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorKind::resources, "the surface has more points than 32 bits can count",
                {"dims", "estimate the density with smaller `dims`"});
  TriangleMesh mesh;
  mesh.points = world_points(points, volume.grid());
  mesh.triangles.reserve(2 * quads.size());
  // The library orders the corners for fog volumes clockwise, as seen from outside.
  for (const openvdb::Vec4I& quad : quads) {
    mesh.triangles.push_back({quad[0], quad[2], quad[1]});
    mesh.triangles.push_back({quad[0], quad[3], quad[2]});
  }
  return mesh;
}

}  // namespace

TriangleMesh openvdb_surface(const Volume& volume, double level, Progress& progress) {
  return volume.precision() == Precision::f32
             ? mesh_of<openvdb::FloatGrid>(volume, level, progress)
             : mesh_of<openvdb::DoubleGrid>(volume, level, progress);
}

}  // namespace skde::io
