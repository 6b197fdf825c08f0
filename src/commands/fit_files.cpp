#include "commands/fit_files.hpp"

#include <fmt/core.h>

#include <type_traits>

#include "cli/text/terminal_text.hpp"
#include "io/points/mixture_file.hpp"
#include "io/points/splats/splat_formats.hpp"
#include "io/text/text_fields.hpp"
#include "io/values/npy_header.hpp"
#include "order/curve_codes.hpp"
#include "order/sorted_order.hpp"
#include "order/splat_order.hpp"
#include "pictures/color_map.hpp"
#include "pictures/projection_picture.hpp"

namespace skde::cli {
namespace {

bool ends_with(const std::string& path, std::string_view extension) {
  return io::lower_case(path).ends_with(extension);
}

/// What splats show: the density of the mixture at their centres.
struct Look {
  std::vector<float> colours;
  std::vector<double> heights;
};

/// The members along a Morton curve, for formats that are smaller so.
Mixture along_curve(const Mixture& mixture) {
  const SamplesView members = mixture.members.view();
  const std::vector<std::uint64_t> codes =
      curve_codes(members.xyz, box_of(members.xyz), Curve::morton);
  Mixture sorted;
  sorted.H = mixture.H;
  Samples& to = sorted.members;
  for (const std::uint32_t i : sorted_order(codes)) {
    const Vec3 mean = members.point(i);
    const Symmetric3 c = members.shape(i);
    to.xyz.insert(to.xyz.end(), {mean.x, mean.y, mean.z});
    to.weights.push_back(members.weight(i));
    to.shapes.insert(to.shapes.end(), {c.xx, c.xy, c.xz, c.yy, c.yz, c.zz});
  }
  return sorted;
}

Look look_of(const Mixture& mixture, const EngineOptions& options, Progress& progress) {
  Look look;
  look.heights = mixture_at(mixture, TargetPoints(mixture.members.xyz), options, progress);
  look.colours = map_shares(ColorMap::viridis, look.heights);
  return look;
}

Projections projections_of(const Volume& volume) {
  MaximumProjector projector(volume.grid().dims);
  projector.add(0, volume);
  return projector.take_projections();
}

/// Makes |b - a| of b.
void take_difference(const Volume& a, Volume& b) {
  const auto take = [&]<class Real>(std::type_identity<Real>) {
    const std::span<const Real> from = a.values<Real>();
    const std::span<Real> to = b.values<Real>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::abs(to[i] - from[i]);
  };
  if (a.precision() == Precision::f32) return take(std::type_identity<float>());
  take(std::type_identity<double>());
}

}  // namespace

std::vector<std::string> mixture_files(const std::string& path) {
  if (!ends_with(path, ".npy")) return {path};
  return {path, path + std::string(io::kNpyCompanion)};
}

std::vector<WrittenFile> write_fitted(const std::string& path, const Mixture& fitted,
                                      const io::MixtureFacts& facts, const EngineOptions& options,
                                      Progress& progress) {
  const io::SplatFormat* const splats = io::splat_format_of(path);
  const bool sorted = splats != nullptr && usual_splat_order(splats->name) == SplatOrder::morton;
  const Mixture mixture = sorted ? along_curve(fitted) : fitted;
  const Look look = splats != nullptr ? look_of(mixture, options, progress) : Look{};
  io::write_mixture(path, mixture, facts, {look.colours, look.heights}, progress);
  std::vector<WrittenFile> written{written_file("mixture", path)};
  for (const std::string& file : mixture_files(path))
    if (file != path) written.push_back(written_file("description", file));
  return written;
}

WrittenFile write_fit_picture(const std::string& path, const GivenDensity& given, const FitRun& run,
                              const Mixture& mixture, const std::vector<std::string>& flipped,
                              Progress& progress) {
  Volume fitted = mixture_on(mixture, run.grid, run.precision, run.spec.options, progress);
  ProjectionSheet sheet{"Density and fitted mixture, maximum projections",
                        {"given", "fitted", "|fitted - given|"},
                        {projections_of(given.volume), projections_of(fitted)}};
  take_difference(given.volume, fitted);
  sheet.projections.push_back(projections_of(fitted));
  sheet.facts = {fmt::format("{} ellipsoids", format_count(run.found.members)),
                 fmt::format("relative error {}", format_share(run.found.relative_error))};
  progress.throw_if_cancelled();
  const std::string lacked =
      write_projection_sheet(path, sheet, run.grid, run.metadata, {.flipped = flipped});
  return written_picture(path, lacked, progress);
}

}  // namespace skde::cli
