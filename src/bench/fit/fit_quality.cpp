#include "bench/fit/fit_quality.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "bench/fit/moment_mixtures.hpp"
#include "bench/fit/sklearn_mixture.hpp"
#include "bench/fit/smaller_volumes.hpp"
#include "core/report/error.hpp"
#include "system/host_memory.hpp"
#include "system/stop_watch.hpp"

namespace skde::bench {
namespace {

constexpr double kMemberBytes = sizeof(float) * kMemberParameters;

void judge(Result& row, const FitCase& of, const Volume& values, double factor = 1) {
  const FitScore score = score_of(of.volume, values, factor);
  row.relative_error = score.relative_error;
  row.psnr = score.psnr;
  row.error = score.largest_error;
}

/// Masses are scaled to the mass of the density in its box, as those of a fit are.
void judge(Result& row, const FitCase& of, const Mixture& mixture, Progress& progress) {
  SilentProgress silent(progress);
  const Volume values = mixture_on(mixture, of.volume.grid(), Precision::f32, {}, silent);
  judge(row, of, values, of.volume.sum() / values.sum());
  row.bytes = kMemberBytes * static_cast<double>(mixture.size());
}

/// Measures a density by every method and number of members.
class QualityRun {
 public:
  QualityRun(Recorder& recorder, const FitQualitySettings& settings, FitCase of)
      : recorder_(recorder), settings_(settings), of_(std::move(of)), target_(of_.input()) {}

  void measure_all() {
    for (const std::uint64_t count : settings_.members)
      for (const std::string& method : settings_.methods) add(method, count);
  }

 private:
  using Measure = void (QualityRun::*)(Result&, std::uint64_t);

  /// In the order of kFitMethods.
  static Measure measure_of(std::string_view method) {
    constexpr std::array<Measure, kFitMethods.size()> kMeasures{
        &QualityRun::fit,     &QualityRun::kmeans,  &QualityRun::merging,
        &QualityRun::sklearn, &QualityRun::reduced, &QualityRun::openvdb};
    for (std::size_t k = 0; k + 1 < kFitMethods.size(); ++k)
      if (kFitMethods[k].first == method) return kMeasures[k];
    return kMeasures.back();
  }

  void add(std::string_view method, std::uint64_t count) {
    recorder_.announce(fmt::format("fit: {}, K = {}: {}", of_.cloud, count, method));
    Result row = blank_fit_row(method, of_, count);
    try {
      if (const std::string why = too_many(count); !why.empty())
        refuse(row, {Status::skipped, why});
      else
        (this->*measure_of(method))(row, count);
    } catch (const Error& error) {
      progress().throw_if_cancelled();
      refuse(row, {error.kind() == ErrorKind::unsupported ? Status::skipped : Status::failed,
                   error.what()});
    }
    recorder_.add(std::move(row));
  }

  std::string too_many(std::uint64_t count) const {
    const auto cells = static_cast<std::uint64_t>(of_.volume.grid().cells());
    if (of_.samples.size() > 0 && count > of_.samples.size())
      return fmt::format("more members than the {} samples", of_.samples.size());
    return count > cells ? fmt::format("more members than the {} cells", cells) : "";
  }

  void fit(Result& row, std::uint64_t count) {
    FitSpec spec;
    spec.members = count;
    spec.steps = settings_.steps;
    spec.seed = settings_.density.seed;
    spec.device = settings_.on;
    spec.options = settings_.density.options;
    measure_fit(row, of_, spec, progress());
  }

  void kmeans(Result& row, std::uint64_t count) {
    constexpr int kIterations = 10;
    const StopWatch watch;
    const Mixture mixture = kmeans_mixture(target_, count, kIterations, progress());
    row.seconds = {watch.seconds()};
    row.policy = fmt::format("{} iterations", kIterations);
    judge(row, of_, mixture, progress());
  }

  void merging(Result& row, std::uint64_t count) {
    const StopWatch watch;
    const Mixture mixture = merged_mixture(target_, count);
    row.seconds = {watch.seconds()};
    judge(row, of_, mixture, progress());
  }

  void sklearn(Result& row, std::uint64_t count) {
    if (python_.path.empty() && python_.problem.empty())
      python_ = find_python(settings_.python, kMixtureModules, progress());
    std::string why = python_.problem;
    if (of_.samples.size() == 0) why = "needs samples";
    if (late_from_ > 0 && count >= late_from_)
      why = fmt::format("K = {} took longer than --peer-seconds {:g}", late_from_,
                        settings_.peer_seconds);
    // It holds several arrays of a number for each sample and member.
    constexpr double kArrays = 4;
    const double bytes = kArrays * sizeof(double) * static_cast<double>(of_.samples.size() * count);
    if (bytes > static_cast<double>(available_memory()))
      why = fmt::format("needs about {} of host memory", format_bytes(bytes));
    if (!why.empty()) return refuse(row, {Status::skipped, why});
    const SklearnMixture found =
        sklearn_mixture({python_.path, count, settings_.density.seed,
                         settings_.density.options.threads, settings_.peer_seconds},
                        of_.samples.view(), of_.H, target_.mass(), progress());
    if (found.late) {
      late_from_ = count;
      return refuse(row, {Status::skipped, fmt::format("took longer than --peer-seconds {:g}",
                                                       settings_.peer_seconds)});
    }
    row.seconds = {found.seconds};
    row.policy = found.made_by;
    judge(row, of_, found.mixture, progress());
  }

  void reduced(Result& row, std::uint64_t count) {
    const StopWatch watch;
    const auto smaller = reduced_volume(of_.volume, count * kMemberParameters);
    if (!smaller) return refuse(row, {Status::skipped, "the volume itself has no more numbers"});
    row.seconds = {watch.seconds()};
    row.bytes = smaller->bytes;
    judge(row, of_, smaller->values);
  }

  void openvdb(Result& row, std::uint64_t count) {
    const double bytes = kMemberBytes * static_cast<double>(count);
    const StopWatch watch;
    const SmallerVolume smaller = half_openvdb_volume(of_.volume, bytes);
    if (smaller.bytes > bytes)
      return refuse(
          row, {Status::skipped, fmt::format("the smallest file has {:.0f} bytes", smaller.bytes)});
    row.seconds = {watch.seconds()};
    row.bytes = smaller.bytes;
    judge(row, of_, smaller.values);
  }

  Progress& progress() { return recorder_.progress(); }

  Recorder& recorder_;
  const FitQualitySettings& settings_;
  FitCase of_;
  FitTarget target_;  ///< sees of_
  Python python_{};
  std::uint64_t late_from_ = 0;  ///< members with which scikit-learn took too long
};

}  // namespace

Result blank_fit_row(std::string_view method, const FitCase& of, std::uint64_t members) {
  Result row;
  row.experiment = "fit";
  row.method = method;
  row.device = "cpu";
  row.cloud = of.cloud;
  row.samples = of.samples.size();
  row.cells = of.longest_side();
  row.precision = "f32";
  row.members = static_cast<double>(members);
  return row;
}

void measure_fit(Result& row, const FitCase& of, const FitSpec& spec, Progress& progress) {
  const MixtureFit fit = fit_mixture(of.input(), spec, progress);
  row.seconds = {fit.facts.seconds};
  row.steps = static_cast<double>(fit.facts.steps);
  row.policy = fit.facts.engine;
  if (fit.facts.engine.ends_with("GPU")) row.device = "cuda";
  judge(row, of, fit.mixture, progress);
}

void measure_quality(Recorder& recorder, FitCloud cloud, const FitQualitySettings& settings) {
  recorder.announce(fmt::format("fit: {}", word_of(kFitClouds, cloud)));
  FitCase of{std::string(word_of(kFitClouds, cloud))};
  try {
    of = make_fit_case(cloud, settings.density, recorder.progress());
  } catch (const Error& error) {
    recorder.progress().throw_if_cancelled();
    for (const std::uint64_t count : settings.members)
      for (const std::string& method : settings.methods) {
        Result row = blank_fit_row(method, of, count);
        refuse(row, {Status::skipped, error.what()});
        recorder.add(std::move(row));
      }
    return;
  }
  QualityRun(recorder, settings, std::move(of)).measure_all();
}

}  // namespace skde::bench
