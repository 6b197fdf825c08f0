#include "bandwidth/automatic_bandwidth.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bandwidth/data_driven_warnings.hpp"
#include "bandwidth/pair_distances.hpp"
#include "bandwidth/sample_choice.hpp"
#include "core/report/error.hpp"
#include "core/space/grid.hpp"

namespace skde {
namespace {

constexpr double kFewest = 30;
/// Deviations below so many steps of rounded coordinates are left to plug-in: the least-squares
/// score would count pairs that only rounding brought so near to each other.
constexpr double kFineSteps = 10;
/// Memory for transforms of the samples, whatever there is: the choice is the same everywhere.
constexpr double kPlugInBytes = 3e8;

/// The ratio of neighbouring bandwidths, that of 16 from a third to 1.3: sums take no time here,
/// and every command finds the same h.
double search_ratio(const DataDrivenEffort& effort) {
  const double usual = std::pow(1.3 * 3, 1.0 / 15);
  return effort.lower ? effort.ratio : std::min(effort.ratio, usual);
}

/// The box whose faces change the density.
struct Faces {
  Boundaries boundaries;
  Box box;

  /// Returns the samples that the density does not leave out.
  Samples kept(const SamplesView& some) const {
    Samples inside;
    for (std::size_t i = 0; i < some.size(); ++i)
      if (!is_beyond_faces(boundaries, box, some.point(i)))
        append_samples(inside, some.slice(i, 1));
    return inside;
  }
  /// Returns the images as far as most Gaussians reach that will be scored.
  FaceImages images(const SamplesView& samples, const Symmetric3& silverman) const {
    constexpr double kReach = 3;
    if (!has_boundary(boundaries)) return {};
    return images_at_faces(
        samples, boundaries, box,
        kReach * Vec3{std::sqrt(silverman.xx), std::sqrt(silverman.yy), std::sqrt(silverman.zz)});
  }
};

/// Returns the samples that score a density within the faces, without the samples beyond them.
ChosenSamples chosen_within(const Faces& faces, const Moments& moments, const BandwidthSpec& spec) {
  const Samples& some = *moments.some();
  Samples inside = faces.kept(some.view());
  if (inside.size() == some.size()) return chosen_samples(some, moments, spec);
  const double share = compute_moments(inside.view()).effective_samples() /
                       compute_moments(some.view()).effective_samples();
  ChosenSamples scoring = chosen_samples(std::move(inside), moments, spec);
  scoring.factor *= std::pow(share, -1.0 / 7);
  return scoring;
}

/// Returns the choice by a rule, for the Gaussian and the samples that score.
DataDrivenBandwidth by_rule(BandwidthRule rule, const ChosenSamples& scoring,
                            const DataDrivenEffort& effort, Progress& progress) {
  BandwidthSpec spec = scoring.bandwidth;
  spec.bandwidth = rule;
  return data_driven_bandwidth(scoring.samples, scoring.moments, {spec, KernelFunction::gaussian},
                               effort, progress);
}

/// Returns the choice by the least-squares score of all pairs of the samples that score, for the
/// Gaussian. It has no curve if the score has no minimum.
DataDrivenBandwidth by_pairs(const ChosenSamples& scoring, const Faces& faces,
                             const DataDrivenEffort& effort, Progress& progress) {
  BandwidthSpec spec = scoring.bandwidth;
  spec.bandwidth = BandwidthRule::silverman;
  const Bandwidth reference = select_bandwidth(scoring.moments, spec, KernelFunction::gaussian);
  progress.begin("bandwidth", 0, "");
  const PairDistances pairs(scoring.samples, faces.images(scoring.samples, reference.H),
                            reference.H, effort.threads, progress);
  SearchSpec range{1.0 / 3, 1.3, search_ratio(effort)};
  if (effort.lower && effort.upper)
    range = {*effort.lower / (effort.factor * reference.h),
             *effort.upper / (effort.factor * reference.h), effort.ratio, 1};
  const SearchResult found =
      search_bandwidth([&](double t) { return pairs.least_squares(t); }, range);
  DataDrivenBandwidth result;
  if (!found.least) return result;
  result.best = *found.least;
  result.curve = found.curve;
  result.best.h *= reference.h;
  for (ScoredBandwidth& point : result.curve) point.h *= reference.h;
  return result;
}

/// Returns warnings that a kernel with this h is narrower than the steps of rounded coordinates.
std::vector<Warning> rounding(const ChosenSamples& scoring, double h, double silverman,
                              KernelFunction kernel) {
  BandwidthSpec unit = scoring.bandwidth;
  unit.bandwidth = 1.0;
  ScoredSamples cloud;
  cloud.samples = scoring.samples;
  cloud.S = select_bandwidth(scoring.moments, unit, kernel).H;
  return step_warnings(cloud, {"auto", h, silverman, kernel});
}

/// Returns the choice for the Gaussian, and the rule that made it.
std::pair<DataDrivenBandwidth, BandwidthRule> choose(const ChosenSamples& scoring,
                                                     const Faces& faces,
                                                     const DataDrivenEffort& effort,
                                                     Progress& progress) {
  DataDrivenBandwidth found = by_pairs(scoring, faces, effort, progress);
  if (found.curve.empty() && effort.lower) throw_without_minimum(effort);
  const bool sound =
      !found.curve.empty() && !has_ties(scoring.samples) &&
      rounding(scoring, found.best.h / kFineSteps, 0, KernelFunction::gaussian).empty();
  if (sound) return {std::move(found), BandwidthRule::lscv};
  try {
    DataDrivenEffort alone = effort;
    alone.factor = 1;
    alone.most_bytes = kPlugInBytes;
    found = by_rule(BandwidthRule::plug_in, scoring, alone, progress);
    const bool fine =
        rounding(scoring, scoring.factor * found.best.h, 0, KernelFunction::gaussian).empty();
    return {std::move(found), fine ? BandwidthRule::plug_in : BandwidthRule::silverman};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return {{}, BandwidthRule::silverman};
  }
}

/// Returns the choice for a sharpened density of all samples: by the score of its own, or in
/// proportion to that of a plain one if no score is sound, or has no minimum beside it. With less
/// bias, kernels are never narrower than those of a plain density; a score that says so counts
/// pairs that are too near.
std::pair<DataDrivenBandwidth, BandwidthRule> by_folds(const ChosenSamples& scoring,
                                                       KernelFunction kernel, const Faces& faces,
                                                       const DataDrivenEffort& effort,
                                                       Progress& progress) {
  constexpr double kWider = 1.3, kWidest = 3;  // the best h is 1.1 to 1.7 times the plain one
  DataDrivenEffort anywhere = effort;
  anywhere.lower = anywhere.upper = std::nullopt;
  auto [plain, rule] = choose(scoring, faces, anywhere, progress);
  if (rule == BandwidthRule::silverman) return {{}, rule};
  const double h = plain.best.h * scoring.factor * kernel->scott / KernelFunction::gaussian->scott;
  DataDrivenSpec spec{scoring.bandwidth, kernel, true, faces.boundaries, faces.box};
  spec.bandwidth.bandwidth = BandwidthRule::lscv;
  DataDrivenEffort scaled = effort;
  scaled.factor = scoring.factor;
  scaled.ratio = search_ratio(effort);
  scaled.most_bytes = kPlugInBytes;
  if (!effort.lower) {
    scaled.lower = h;
    scaled.upper = kWidest * h;
  }
  try {
    if (rule == BandwidthRule::lscv)
      return {data_driven_bandwidth(scoring.samples, scoring.moments, spec, scaled, progress),
              rule};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;  // the score has no minimum
  }
  plain.best = {.h = kWider * h};
  plain.curve.clear();
  return {std::move(plain), rule};
}

/// Returns the geometric mean of the deviations of a matrix.
double size_of(const Symmetric3& H) {
  const auto values = eigen_decomposition(H).values;
  return std::pow(values[0] * values[1] * values[2], 1.0 / 6);
}

/// Returns the form of S with the least score.
CovarianceForm best_form(const Moments& moments, BandwidthSpec spec, const Faces& faces,
                         const DataDrivenEffort& effort, Progress& progress) {
  CovarianceForm best = CovarianceForm::data;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [word, form] : kCovarianceForms) {
    if (is_chosen(form)) continue;
    spec.form = form;
    try {
      const ChosenSamples scoring = chosen_within(faces, moments, spec);
      const DataDrivenBandwidth found = by_pairs(scoring, faces, effort, progress);
      if (found.curve.empty() || !(found.best.score < least)) continue;
      least = found.best.score;
      best = form;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;  // a flat one
    }
  }
  return best;
}

/// Returns Silverman's bandwidth. A form that is to be chosen is the first that is not flat.
Bandwidth silverman_of(const Moments& moments, const DataDrivenSpec& spec) {
  if (!is_chosen(spec.bandwidth.form))
    return select_bandwidth(moments, spec.bandwidth, spec.kernel);
  BandwidthSpec given = spec.bandwidth;
  const auto select = [&](CovarianceForm form) {
    given.form = form;
    Bandwidth bandwidth = select_bandwidth(moments, given, spec.kernel);
    bandwidth.form = word_of(kCovarianceForms, form);
    return bandwidth;
  };
  for (const CovarianceForm form :
       {CovarianceForm::data, CovarianceForm::diag, CovarianceForm::within})
    try {
      return select(form);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
    }
  return select(CovarianceForm::iso);
}

/// Returns all entries of H, for the Gaussian and the samples that score: their proportions by
/// smoothed cross-validation of some thousand, and their size by the least-squares score of all.
/// Returns nothing if Silverman's H, which is smoother, scores as well: by less than a standard
/// error less (Breiman et al. 1984, 3.4.3).
std::optional<Symmetric3> free_matrix(const ChosenSamples& scoring, const Faces& faces, double h,
                                      const DataDrivenEffort& effort, Progress& progress) {
  constexpr std::size_t kEnough = 3000;
  BandwidthSpec spec = scoring.bandwidth;
  spec.bandwidth = h;
  const Symmetric3 H = select_bandwidth(scoring.moments, spec, KernelFunction::gaussian).H;
  const Samples some = choose_by_value(scoring.samples, kEnough, 1);
  const double fewer =
      compute_moments(some.view()).effective_samples() / scoring.moments.effective_samples();
  const double wider = std::pow(fewer, -2.0 / 7);
  const Symmetric3 free = smoothed_score_matrix(some.view(), wider * H, effort.threads, progress);
  const PairDistances pairs(scoring.samples, faces.images(scoring.samples, H), (1 / wider) * free,
                            effort.threads, progress);
  const SearchResult size =
      search_bandwidth([&](double t) { return pairs.least_squares(t); }, {1 / 1.3, 1.3, 1.1});
  const double t = size.least ? size.least->h : 1;
  if (!has_boundary(faces.boundaries)) {  // which Silverman's H does not know
    DataDrivenSpec normal{scoring.bandwidth, KernelFunction::gaussian};
    normal.bandwidth.bandwidth = BandwidthRule::silverman;
    normal.bandwidth.form = CovarianceForm::free;
    const Symmetric3 smooth = silverman_of(scoring.moments, normal).H;
    if (score_excess(some.view(), wider * smooth, (t * t) * free, effort.threads) < 1) return {};
  }
  return (t * t / wider) * free;
}

}  // namespace

DataDrivenBandwidth automatic_bandwidth(const Moments& moments, const DataDrivenSpec& asked,
                                        const DataDrivenEffort& effort, Progress& progress) {
  DataDrivenSpec spec = asked;
  spec.bandwidth.bandwidth = BandwidthRule::automatic;
  const bool chosen = is_chosen(asked.bandwidth.form);
  DataDrivenBandwidth result;
  result.bandwidth = silverman_of(moments, spec);
  result.reference = result.bandwidth.silverman = result.best.h = result.bandwidth.h;
  const Faces faces{asked.boundaries, asked.box.value_or(moments.bounds())};
  if (!moments.some()) return result;
  const Samples kept = faces.kept(moments.some()->view());
  if (kept.size() == 0 || compute_moments(kept.view()).effective_samples() < kFewest) return result;
  if (asked.sharpen && asked.bandwidth.form == CovarianceForm::free)
    throw Error(ErrorKind::usage, "a free matrix is chosen by the score of a plain density",
                {"covariance", "use `covariance=auto`, or leave out `sharpen`"});
  if (chosen) {
    spec.bandwidth.form = best_form(moments, spec.bandwidth, faces, effort, progress);
    result.reference = select_bandwidth(moments, spec.bandwidth, spec.kernel).h;
  }
  const ChosenSamples scoring = chosen_within(faces, moments, spec.bandwidth);
  const KernelFunction judge = KernelFunction::gaussian;
  DataDrivenEffort scaled = effort;
  // by_folds() returns an h for this kernel and all samples.
  scaled.factor = asked.sharpen ? 1 : scoring.factor * spec.kernel->scott / judge->scott;
  auto [found, rule] = asked.sharpen ? by_folds(scoring, spec.kernel, faces, effort, progress)
                                     : choose(scoring, faces, scaled, progress);
  if (rule == BandwidthRule::silverman) return result;
  std::optional<Symmetric3> free;
  if (asked.bandwidth.form == CovarianceForm::free) {
    free = free_matrix(scoring, faces, found.best.h, effort, progress);
    if (!free) {
      result.reference = result.bandwidth.h;
      return result;
    }
  }
  BandwidthSpec given = spec.bandwidth;
  given.bandwidth = found.best.h * scaled.factor;
  Bandwidth& bandwidth = result.bandwidth = select_bandwidth(moments, given, spec.kernel);
  if (chosen) bandwidth.form = word_of(kCovarianceForms, given.form);
  if (free) {
    const double plain = size_of(bandwidth.H);
    bandwidth.H = (scaled.factor * scaled.factor) * *free;
    bandwidth.form = word_of(kCovarianceForms, CovarianceForm::free);
    bandwidth.h *= size_of(bandwidth.H) / plain;
  }
  bandwidth.source = fmt::format("auto: {}", word_of(kBandwidthRules, rule));
  bandwidth.silverman = result.reference;
  if (moments.some()->size() < moments.count()) bandwidth.scored = scoring.samples.size();
  if (spec.kernel != judge) bandwidth.judge = judge->name;
  result.best = {bandwidth.h, found.best.score};
  result.curve = std::move(found.curve);
  for (ScoredBandwidth& point : result.curve) point.h *= scaled.factor;
  result.warnings = rounding(scoring, bandwidth.h, result.reference, spec.kernel);
  return result;
}

}  // namespace skde
