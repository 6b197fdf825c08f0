#include "viewer/layers/samples/member_readout.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/text/number_format.hpp"

namespace skde::view {
namespace {

std::string vector_text(Vec3 v) {
  return fmt::format("{}, {}, {}", cli::format_value(v.x), cli::format_value(v.y),
                     cli::format_value(v.z));
}

std::string mass_text(const SamplesView& members, std::size_t index) {
  double total = 0;
  for (std::size_t i = 0; i < members.size(); ++i) total += members.weight(i);
  const double mass = members.weight(index);
  return fmt::format("{}, {} of all", cli::format_value(mass),
                     cli::format_share(total > 0 ? mass / total : 0));
}

}  // namespace

std::vector<ReadoutLine> member_readout(const SamplesView& members, std::size_t index) {
  const Symmetric3 c = members.shape(index);
  const Eigen3 axes = eigen_decomposition(c);
  std::vector<ReadoutLine> lines{
      {"ellipsoid", fmt::format("{} (0 to {})", index, members.size() - 1)},
      {"mass", mass_text(members, index)},
      {"mean", vector_text(members.point(index))}};
  constexpr std::array kNames{"shortest deviation", "middle deviation", "longest deviation"};
  for (std::size_t i = 3; i-- > 0;) {
    const Vec3 v = axes.vectors[i];
    lines.push_back(
        {kNames[i],
         fmt::format("{} along {:.2f}, {:.2f}, {:.2f}",
                     cli::format_value(std::sqrt(std::max(axes.values[i], 0.0))), v.x, v.y, v.z)});
  }
  lines.push_back({"covariance xx, xy, xz", vector_text({c.xx, c.xy, c.xz})});
  lines.push_back({"covariance yy, yz, zz", vector_text({c.yy, c.yz, c.zz})});
  return lines;
}

}  // namespace skde::view
