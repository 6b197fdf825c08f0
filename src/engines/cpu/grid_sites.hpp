#pragma once

#include <cstdint>
#include <string_view>

#include "core/kernel/sample_shapes.hpp"
#include "core/problem.hpp"
#include "engines/cpu/placed_sample.hpp"

namespace skde {

/// The cell centres of a grid as sites of values. Each row is a block.
template <class Real>
class GridSites {
 public:
  static constexpr std::string_view kBlocks = "rows";
  using Place = PlacedSample<Real>;
  struct Site {
    std::int64_t x, y, z;
  };

  explicit GridSites(const Problem& problem)
      : grid_(problem.grid()),
        shapes_(problem.kernel, grid_, problem.min_width),
        ellipsoid_(shapes_.common().ellipsoid.template cast<Real>()) {}

  std::int64_t blocks() const { return grid_.dims[1] * grid_.dims[2]; }
  std::int64_t block_size() const { return grid_.dims[0]; }
  std::int64_t block_end(std::int64_t block) const { return (block + 1) * block_size(); }
  Site site(std::int64_t at) const {
    const std::int64_t row = at / grid_.dims[0];
    return {at % grid_.dims[0], row % grid_.dims[1], row / grid_.dims[1]};
  }
  const SampleShapes& shapes() const { return shapes_; }
  const Ellipsoid<Real>& ellipsoid() const { return ellipsoid_; }  ///< of the common kernel
  Place place(Vec3 world) const {
    return place_sample<Real>(grid_, shapes_.common().ellipsoid, world);
  }
  Real q(const Ellipsoid<Real>& ellipsoid, const Site& site, const Place& place) const {
    return ellipsoid.q(static_cast<Real>(site.x - place.cell[0]) - place.offset[0],
                       static_cast<Real>(site.y - place.cell[1]) - place.offset[1],
                       static_cast<Real>(site.z - place.cell[2]) - place.offset[2]);
  }

 private:
  Grid grid_;
  SampleShapes shapes_;
  Ellipsoid<Real> ellipsoid_;
};

}  // namespace skde
