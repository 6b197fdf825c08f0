#include "viewer/work/fitted_file.hpp"

#include <fmt/core.h>

#include <vector>

#include "io/points/mixture_file.hpp"
#include "pictures/color_map.hpp"

namespace skde::view {
namespace {

io::MixtureFacts facts_of(const FitFacts& facts) {
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  return {{"relative_error", number(facts.relative_error)},
          {"psnr_db", number(facts.psnr)},
          {"largest_error", number(facts.largest_error)},
          {"mass", number(facts.mass)},
          {"steps", fmt::format("{}", facts.steps)}};
}

}  // namespace

void save_fitted(const std::string& path, const MixtureFit& fit) {
  io::require_mixture_extension(path);
  NoProgress silent;
  const Mixture& mixture = fit.mixture;
  const std::vector<double> heights =
      mixture_at(mixture, TargetPoints(mixture.members.xyz), {}, silent);
  const std::vector<float> colours = map_shares(ColorMap::viridis, heights);
  io::write_mixture(path, mixture, facts_of(fit.facts), {colours, heights}, silent);
}

}  // namespace skde::view
