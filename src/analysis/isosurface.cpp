#include "analysis/isosurface.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "analysis/mass_levels.hpp"
#include "analysis/surface_measures.hpp"
#include "core/report/error.hpp"
#include "io/volumes/openvdb/openvdb_surface.hpp"

namespace skde {
namespace {

/// Returns for each face whether one of its cells is at least as high as the level.
std::array<bool, 6> faces_met(const Volume& volume, double level) {
  const auto& n = volume.grid().dims;
  std::array<bool, 6> met{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const std::size_t side : {0, 1}) {
      const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
      std::array<std::int64_t, 3> at{};
      at[axis] = side == 0 ? 0 : n[axis] - 1;
      bool& found = met[2 * axis + side];
      for (at[u] = 0; at[u] < n[u] && !found; ++at[u])
        for (at[v] = 0; at[v] < n[v] && !found; ++at[v])
          found = volume.at(at[0], at[1], at[2]) >= level;
    }
  return met;
}

/// Throws Error(usage) if no surface can have this level.
void require_level(const Volume& volume, double level) {
  if (!(level > 0) || !std::isfinite(level))
    throw Error(ErrorKind::usage, fmt::format("the level must be above 0; got {}", level),
                {"level", "give a density, such as half of the peak"});
  const double peak = volume.maximum();
  if (!(level <= peak))
    throw Error(ErrorKind::usage,
                fmt::format("a level of {:.6g} is above the greatest value, {:.6g}", level, peak),
                {"level", "give a lower one"});
}

Isosurface surface_at(const Volume& volume, double level, Progress& progress) {
  if (!SKDE_HAS_OPENVDB)
    throw Error(ErrorKind::unsupported,
                "this build cannot make surfaces; configure it with SKDE_WITH_OPENVDB=ON");
  Isosurface surface{.level = level, .mesh = {}};
  surface.mesh = io::openvdb_surface(volume, level, progress);
  surface.closed = faces_met(volume, level);
  add_normals(surface.mesh, volume);
  surface.volume = enclosed_volume(surface.mesh);
  surface.mass = enclosed_mass(surface.mesh, volume, progress);
  return surface;
}

}  // namespace

Isosurface isosurface(const Volume& volume, double level, Progress& progress) {
  require_level(volume, level);
  Isosurface surface = surface_at(volume, level, progress);
  if (!(surface.volume > 0))
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "the surface at a level of {:.6g} encloses nothing, because only single cells reach it",
            level),
        {"level", "give a lower one"});
  return surface;
}

namespace {

/// Searches for the level of a mass, between levels known to be too low and too high.
class SurfaceLevelSearch {
 public:
  SurfaceLevelSearch(const Volume& volume, double mass, double whole)
      : volume_(volume),
        inside_(std::min(1.0, volume.mass() / whole)),
        whole_(whole),
        lower_{0, inside_ - mass},
        upper_{volume.maximum(), -mass},
        asked_(mass) {}

  /// Returns the next level to try. At first it is the level of the cells' region for a mass
  /// corrected by the last surface's error. Later, or if that level is known to be wrong, it
  /// alternates between linear interpolation of the mass and bisection.
  double next(Progress& progress) const {
    if (steps_ < kByCells && asked_ > 0 && asked_ < inside_) {
      const double level = mass_levels(volume_, std::vector{asked_}, whole_, progress)[0].level;
      if (level > lower_.level && level < upper_.level) return level;
    }
    const double evenly = lower_.excess / (lower_.excess - upper_.excess);
    const double share = steps_ % 2 == 0 && evenly > 0 && evenly < 1 ? evenly : 0.5;
    return lower_.level + share * (upper_.level - lower_.level);
  }

  void found(double level, double excess) {
    (excess > 0 ? lower_ : upper_) = {level, excess};
    asked_ -= excess;
    ++steps_;
  }
  bool is_over() const {
    return steps_ == kMostSteps || !(upper_.level - lower_.level > kRounding * upper_.level);
  }

 private:
  static constexpr int kByCells = 4, kMostSteps = 20;
  static constexpr double kRounding = 0x1p-20;
  struct End {
    double level = 0, excess = 0;
  };

  const Volume& volume_;
  double inside_, whole_;
  End lower_, upper_;
  double asked_;  ///< mass requested of the cells' region
  int steps_ = 0;
};

}  // namespace

Isosurface mass_surface(const Volume& volume, double mass, double whole, Progress& progress) {
  // Throws the errors of a mass that has no region.
  mass_levels(volume, std::vector{mass}, whole, progress);
  SurfaceLevelSearch search(volume, mass, whole);
  Isosurface best;
  double least = std::numeric_limits<double>::infinity();
  while (least > kNearMass * mass && !search.is_over()) {
    Isosurface surface = surface_at(volume, search.next(progress), progress);
    const double excess = surface.mass / whole - mass;
    search.found(surface.level, excess);
    if (std::abs(excess) >= least) continue;
    least = std::abs(excess);
    best = std::move(surface);
  }
  return best;
}

}  // namespace skde
