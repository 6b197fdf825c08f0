#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/points.hpp"

namespace skde::bench {

/// How the samples lie in benchmark_box().
enum class CloudShape {
  five_gaussians,  ///< the cloud of the S-KDE papers
  uniform,         ///< evenly all over the box
  filament,        ///< along a curve that winds through the box, 0.05 thick
  surface,         ///< on a saddle that spans the box, 0.02 thick
  clump,           ///< nine of ten within a ball 0.05 wide, the others all over the box
  spot             ///< within a thousandth of the box's side at its middle
};

inline constexpr std::array<std::pair<std::string_view, CloudShape>, 6> kClouds{
    {{"five-gaussians", CloudShape::five_gaussians},
     {"uniform", CloudShape::uniform},
     {"filament", CloudShape::filament},
     {"surface", CloudShape::surface},
     {"clump", CloudShape::clump},
     {"spot", CloudShape::spot}}};
constexpr std::string_view cloud_name(CloudShape shape) {
  return kClouds[static_cast<std::size_t>(shape)].first;
}

/// Samples [first, first + count) of a seed's cloud, the same numbers on every machine and for any
/// number of threads; `weighted`: with weights uniform in [0.5, 1.5).
PointCloud make_benchmark_cloud(CloudShape shape, std::uint64_t seed, std::uint64_t first,
                                std::uint64_t count, bool weighted);

}  // namespace skde::bench
