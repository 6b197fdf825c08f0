#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/cloud/samples.hpp"

namespace skde::bench {

/// How the samples lie in benchmark_box() (core/cloud/synthetic_cloud.hpp). `uniform` fills it;
/// `spot` is a cube at its middle with a thousandth of its side.
enum class CloudShape { five_gaussians, uniform, filament, surface, clump, spot };

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

/// Returns samples [first, first + count) of a seed's cloud. The numbers are the same on every
/// machine and for any number of threads. `weighted`: with weights uniform in [0.5, 1.5).
Samples make_benchmark_cloud(CloudShape shape, std::uint64_t seed, std::uint64_t first,
                             std::uint64_t count, bool weighted);

}  // namespace skde::bench
