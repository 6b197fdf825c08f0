#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/kernel/sample_shapes.hpp"
#include "core/problem.hpp"

namespace skde {

/// Points as sites of values. Differences to samples are taken in double, as points may lie
/// anywhere.
template <class Real>
class PointSites {
 public:
  static constexpr std::string_view kBlocks = "blocks of points";
  using Place = Vec3;
  using Site = Vec3;

  explicit PointSites(const Problem& problem)
      : points_(std::get<TargetPoints>(problem.target)),
        shapes_(problem.kernel, kWorld, 0),
        ellipsoid_(shapes_.common().ellipsoid.template cast<Real>()) {}

  std::int64_t blocks() const { return (count() + kPoints - 1) / kPoints; }
  std::int64_t block_size() const { return kPoints; }
  std::int64_t block_end(std::int64_t block) const {
    return std::min((block + 1) * kPoints, count());
  }
  Site site(std::int64_t at) const { return points_.point(static_cast<std::size_t>(at)); }
  Place place(Vec3 world) const { return world; }
  const SampleShapes& shapes() const { return shapes_; }
  const Ellipsoid<Real>& ellipsoid() const { return ellipsoid_; }  ///< of the common kernel
  static Real q(const Ellipsoid<Real>& ellipsoid, const Site& site, const Place& place) {
    const Vec3 d = site - place;
    return ellipsoid.q(static_cast<Real>(d.x), static_cast<Real>(d.y), static_cast<Real>(d.z));
  }

 private:
  static constexpr std::int64_t kPoints = 64;
  static constexpr Grid kWorld{{}, {1, 1, 1}, {1, 1, 1}};  ///< one cell is one world unit

  std::int64_t count() const { return static_cast<std::int64_t>(points_.size()); }

  TargetPoints points_;
  SampleShapes shapes_;
  Ellipsoid<Real> ellipsoid_;
};

}  // namespace skde
