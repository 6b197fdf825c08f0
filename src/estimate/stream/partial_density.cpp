#include "estimate/stream/partial_density.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/report/error.hpp"
#include "core/version.hpp"
#include "estimate/density_facts.hpp"
#include "estimate/plan/density_setup.hpp"
#include "estimate/plan/density_warnings.hpp"
#include "estimate/plan/memory_plan.hpp"
#include "estimate/stream/sums_place.hpp"
#include "estimate/sum/boundary_sums.hpp"
#include "io/partial_cloud_json.hpp"
#include "io/partial_sums_file.hpp"
#include "io/points/cloud_stream.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

/// Enough for the work on slices to outweigh that on their cells.
constexpr std::size_t kSamplesAtOnce = std::size_t{1} << 21;

[[noreturn]] void refuse(const std::string& what, const std::string& parameter,
                         const std::string& advice) {
  throw Error(ErrorKind::unsupported, what + " are not summed in parts", {parameter, advice});
}

/// Samples, moments and rows of a part while it is read.
class PartReader {
 public:
  PartReader(const CloudFiles& files, io::CloudPart part, int threads)
      : stream_(files.paths, files.columns, files.non_finite,
                {.part = part, .threads = threads, .files = files.open}),
        threads_(threads) {
    cloud_.weighted = files.columns.weighted();
    cloud_.pieces = {{files.paths, part.part + 1, part.parts}};
    cloud_.units = stream_.columns().units();
    cloud_.axis_names = stream_.columns().axis_names();
    cloud_.frame = stream_.columns().frame;
    cloud_.where = stream_.columns().where;
    cloud_.version = kVersion;
  }

  /// Up to `most` samples; false at the end.
  bool read(Samples& samples, std::size_t most, Progress& progress) {
    samples.xyz.clear();
    samples.weights.clear();
    while (samples.size() < most && stream_.read(chunk_, most - samples.size(), progress))
      append_samples(samples, chunk_.view());
    cloud_.moments.add(samples.view(), threads_);
    const io::CloudCounts& counts = stream_.counts();
    cloud_.rows = {counts.rows, counts.non_finite, counts.zero_weight, counts.left_out};
    return samples.size() > 0;
  }
  const PartialCloud& cloud() const { return cloud_; }

 private:
  io::CloudStream stream_;
  int threads_;
  Samples chunk_;
  PartialCloud cloud_;
};

void require_summable(const DensityRequest& request, const CloudFiles& files) {
  if (request.adaptive) refuse("widths that adapt", "adaptive", "leave out `adaptive`");
  if (files.columns.shaped()) refuse("samples with widths", "widths", "use `widths=none`");
  if (!sums_whole_numbers(request.engine))
    throw Error(ErrorKind::unsupported, fmt::format("the engine {} sums no parts", request.engine),
                {"engine", "leave out `engine`, or name span or cuda-chop-crop"});
}

[[noreturn]] void throw_without_moments(const char* what, const char* instead = nullptr) {
  throw Error(ErrorKind::usage,
              fmt::format("{} from all samples, which are not known beforehand", what),
              {"moments", fmt::format("give `moments` of all samples{}{}", instead ? ", or " : "",
                                      instead ? instead : "")});
}

/// Bandwidth and grid of moments that are those of all parts, or of none.
DensitySetup set_up(const PartialRequest& request) {
  const GridAhead ahead = grid_ahead(request.density);
  if (!request.whole) {
    if (!has_fixed_kernel(request.density))
      throw_without_moments("the bandwidth follows", "`bandwidth=HX,HY,HZ`");
    if (!ahead.grid) throw_without_moments("the box follows", "`bounds`");
    return set_up_independent(request.density, *ahead.grid);
  }
  const Moments moments = request.whole->moments.moments();
  return set_up_density(request.density, moments, moments.bounds(), ahead);
}

}  // namespace

void require_room(const PartialRequest& request, const PartialProblem& problem,
                  std::int64_t slices) {
  const double sample = BoundarySums::kSampleBytes + host_sample_bytes(true, false);
  const double needed =
      BoundarySums::fixed_bytes(problem, request.density.options.threads, slices) +
      sample * static_cast<double>(kSamplesAtOnce) + static_cast<double>(kProgramBytes);
  const auto limit =
      static_cast<double>(request.memory_limit > 0 ? request.memory_limit : available_memory());
  if (needed <= limit) return;
  throw Error(
      ErrorKind::resources,
      fmt::format("sums of {} cells, 8 bytes each, take {} with the samples, and there is {}",
                  problem.grid.dims[0] * problem.grid.dims[1] * slices, format_bytes(needed),
                  format_bytes(limit)),
      {"dims", "use smaller `dims`, or a larger `memory_limit`"});
}

namespace {

/// The samples of a part are among those of the whole.
void require_part_of(const PartialCloud& part, const PartialCloud& whole) {
  const ExactMoments &a = part.moments, &b = whole.moments;
  bool inside = a.count() <= b.count() && a.largest_weight() <= b.largest_weight() &&
                a.total_weight() <= b.total_weight();
  const Box &box = a.sums().bounds, &all = b.sums().bounds;
  for (int axis = 0; axis < 3 && a.count() > 0; ++axis)
    inside = inside && box.lower[axis] >= all.lower[axis] && box.upper[axis] <= all.upper[axis];
  if (inside) return;
  throw Error(ErrorKind::input, "the samples of the part are none of those of the moments",
              {"moments", "give `moments` of these files, read with the same columns"});
}

template <class Real>
Volume values_of(const Grid& grid, const std::vector<std::int64_t>& sums, double factor) {
  std::vector<Real> values(sums.size());
  std::ranges::transform(sums, values.begin(), [factor](std::int64_t sum) {
    return static_cast<Real>(static_cast<double>(sum) * factor);
  });
  return {grid, std::move(values)};
}

}  // namespace

PartialCloud read_part_moments(const CloudFiles& files, io::CloudPart part, Progress& progress) {
  if (files.columns.shaped()) refuse("samples with widths", "widths", "use `widths=none`");
  PartReader reader(files, part, 0);
  Samples samples;
  while (reader.read(samples, kSamplesAtOnce, progress)) continue;
  return reader.cloud();
}

PartialCloud read_part(const CloudFiles& files, io::CloudPart part, int threads, Samples& samples,
                       Progress& progress) {
  if (files.columns.shaped()) refuse("samples with widths", "widths", "use `widths=none`");
  PartReader reader(files, part, threads);
  Samples some;
  while (reader.read(some, kSamplesAtOnce, progress)) append_samples(samples, some.view());
  return reader.cloud();
}

PartialHead set_up_parts(const PartialRequest& request, const CloudFiles& files) {
  require_summable(request.density, files);
  const bool weighted = files.columns.weighted();
  const bool counted = request.most_samples > 0 && request.largest_weight > 0;
  if (weighted && !request.whole && !counted) throw_without_moments("the scale of weights follows");
  if (request.whole && request.whole->weighted != weighted)
    throw Error(ErrorKind::usage,
                fmt::format("the moments are of samples with{} weights",
                            request.whole->weighted ? "" : "out"),
                {"moments", "give `moments` that were read with the same `weights`"});
  const bool is_double = request.density.precision == Precision::f64;
  if (is_double && !request.whole && !counted)
    throw_without_moments("the digits of doubles follow", "`precision=f32`");
  const DensitySetup setup = set_up(request);
  PartialHead head;
  head.problem = {setup.grid, setup.kernel, request.density.precision};
  // Of kernels without an end it says where they are cut.
  if (head.problem.kernel.function->is_bounded()) head.problem.kernel.tolerance = 0;
  head.problem.boundaries = request.density.boundaries;
  if (const auto images = images_of(head.problem)) head.problem.growth = images->growth();
  double largest = 1, all = kMostUncountedSamples;
  if (request.whole) {
    largest = request.whole->moments.largest_weight();
    all = request.whole->moments.total_weight();
  } else if (weighted || is_double) {
    largest = request.largest_weight;
    all = request.most_samples * largest;
  }
  head.problem.binary_digits =
      binary_digits_for(head.problem.growth * largest, head.problem.growth * all);
  head.h = setup.bandwidth.h;
  head.bandwidth_source = setup.bandwidth.source;
  const std::int64_t slices = head.problem.grid.dims[2];
  require_room(request, head.problem, (slices + request.slabs - 1) / request.slabs);
  return head;
}

PartialSums sum_part(const CloudFiles& files, const PartialRequest& request, Progress& progress) {
  PartialSums partial;
  partial.head = set_up_parts(request, files);
  // Parts of an array may be summed side by side, too many for a GPU that nobody has named.
  const bool alone = request.whole && request.part.parts == 1;
  const double known = alone ? static_cast<double>(request.whole->moments.count()) : 0;
  const WholeSumsPlace place = sums_place(
      request.density, partial.head.problem,
      {known, partial.head.problem.grid.dims[2], devices_for_sums(request.density, false)});
  partial.summed_by = to_text(place);
  BoundarySums sums(partial.head.problem, place);
  PartReader reader(files, request.part, request.density.options.threads);
  Samples samples;
  while (reader.read(samples, kSamplesAtOnce, progress)) {
    SilentProgress silent(progress);
    sums.add(samples.view(), silent);
  }
  partial.head.cloud = reader.cloud();
  partial.head.cloud.rows.beyond = sums.beyond();
  partial.head.outside = sums.outside();
  if (request.whole) require_part_of(partial.head.cloud, *request.whole);
  require_digits(partial.head, files.paths.front());
  partial.sums = sums.take_sums();
  return partial;
}

PartialSums merge_partial_sums(const std::vector<std::string>& paths, bool whole,
                               const io::OpenFiles& files, Progress& progress) {
  // Whether they go together is told before the sums, which may be many gigabytes, are read.
  PartialSums merged;
  for (const std::string& path : paths) {
    PartialHead head = io::read_partial_head(files.source(path));
    if (&path == &paths.front()) {
      merged.head = std::move(head);
      continue;
    }
    require_like(merged.head, paths.front(), head, path);
    merge_clouds(merged.head.cloud, head.cloud);
    merged.head.outside.merge(head.outside);
  }
  check_pieces(merged.head.cloud, whole);
  require_digits(merged.head, paths.back());
  progress.begin("merging", paths.size(), "files");
  for (std::size_t i = 0; i < paths.size(); ++i) {
    progress.throw_if_cancelled();
    io::add_partial_sums(files.source(paths[i]), merged.sums);
    progress.update(i + 1);
  }
  return merged;
}

PartialCloud merge_moments(const std::vector<std::string>& paths, bool whole,
                           const io::OpenFiles& files) {
  PartialCloud merged = io::read_moments_file(paths.front(), files);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const PartialCloud cloud = io::read_moments_file(paths[i], files);
    require_like(merged, paths.front(), cloud, paths[i]);
    merge_clouds(merged, cloud);
  }
  check_pieces(merged, whole);
  return merged;
}

SumTotals totals_of(const std::vector<std::int64_t>& sums) {
  __extension__ using Wide = __int128;
  Wide sum = 0;
  SumTotals totals;
  for (const std::int64_t value : sums) {
    sum += value;
    totals.largest = std::max(totals.largest, value);
  }
  totals.sum = static_cast<double>(sum);
  return totals;
}

Volume volume_of(const Grid& grid, Precision precision, const std::vector<std::int64_t>& sums,
                 double factor) {
  return precision == Precision::f32 ? values_of<float>(grid, sums, factor)
                                     : values_of<double>(grid, sums, factor);
}

namespace {

/// The share of the weight whose kernels lie in the box.
double share_inside(const PartialHead& head) {
  ExactSum inside = head.cloud.moments.sums().weight;
  for (const double part : head.outside.parts()) inside.add(-part);
  return std::clamp(inside.value() / head.cloud.moments.total_weight(), 0.0, 1.0);
}

}  // namespace

MergedFacts facts_of(const PartialHead& head, const SumTotals& totals, Normalization normalization,
                     EmptySums empty) {
  const PartialProblem& problem = head.problem;
  const Moments moments = head.cloud.moments.moments();
  if (moments.count() == 0)
    throw Error(ErrorKind::input,
                "no samples: every row was empty, dropped, left out or of weight 0");
  const double unit = problem.unit(moments.total_weight());
  const double sum = totals.sum * unit * problem.grid.cell_volume();
  const double mass = share_inside(head);
  const auto largest = static_cast<double>(totals.largest);
  const bool is_zero =
      empty == EmptySums::zero && !(largest > 0) && normalization != Normalization::box;
  MergedFacts facts;
  facts.factor =
      normalization_factor(normalization, is_zero ? 1 : sum, mass, moments.total_weight()) * unit;
  facts.peak = largest * facts.factor;
  if (is_zero)
    facts.warnings.push_back(
        {"empty", "no kernel covers a cell centre of the grid: the density is 0 everywhere", {}});
  else
    require_in_range(facts.peak, problem.precision);
  DensityMetadata& about = facts.metadata;
  about.kernel = problem.kernel.function;
  about.H = problem.kernel.H;
  about.h = head.h;
  about.bandwidth_source = head.bandwidth_source;
  about.samples = moments.count();
  about.total_weight = moments.total_weight();
  about.effective_samples = moments.effective_samples();
  about.mass_in_box = mass;
  // Each kernel over a cell is rounded to a whole number, and q has the digits of a double.
  about.error_bound =
      0.5 * problem.growth * static_cast<double>(moments.count()) / std::max(largest, 1.0) +
      problem.kernel.cut_error() + slant_error(Precision::f64, problem.kernel.slant()) +
      (problem.precision == Precision::f32 ? 0x1p-24 : 0x1p-50);
  about.normalization = normalization;
  about.boundaries = problem.boundaries;
  about.engine = "whole numbers";
  about.units = head.cloud.units;
  about.axis_names = head.cloud.axis_names;
  about.frame = head.cloud.frame;
  about.where = head.cloud.where;
  if (!is_zero) {
    DensityFacts summed;
    summed.kernel = problem.kernel;
    summed.grid = problem.grid;
    summed.mass_in_box = about.mass_in_box;
    summed.sum_in_box = sum;
    warn_of_mass(summed, facts.warnings);
  }
  warn_of_tolerance(problem.kernel.tolerance, about.error_bound, problem.precision, facts.warnings);
  warn_of_samples_beyond(head.cloud.rows.beyond, moments.count(), problem.boundaries,
                         facts.warnings);
  for (const Warning& warning : facts.warnings) about.warnings.push_back(warning.problem);
  return facts;
}

MergedDensity density_of(const PartialHead& head, const std::vector<std::int64_t>& sums,
                         Normalization normalization, EmptySums empty) {
  MergedFacts facts = facts_of(head, totals_of(sums), normalization, empty);
  return {volume_of(head.problem.grid, head.problem.precision, sums, facts.factor),
          std::move(facts.metadata), facts.peak, std::move(facts.warnings)};
}

}  // namespace skde
