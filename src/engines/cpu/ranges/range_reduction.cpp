#include "engines/cpu/ranges/range_reduction.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "core/cloud/moments.hpp"
#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/ranges/box_tree.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/tile/block_sums.hpp"

namespace skde {
namespace {

using Order = KernelPoints::Order;
constexpr std::size_t kMostTargets = PairTargets<double>::kMost;
/// Longest side of a block's box, in half widths of the kernel. What reaches such a box reaches
/// most of its targets, and floats keep the digits of places relative to its middle.
constexpr double kLongestBlock = 1;

void require_channels(std::size_t values, std::size_t points, std::size_t channels) {
  if (channels >= 1 && channels <= kMostChannels && values == points * channels) return;
  throw Error(ErrorKind::usage,
              fmt::format("expected {1} values for each of {2} points; got {0} values", values,
                          channels, points),
              {"channels", fmt::format("give 1 to {} values for each point", kMostChannels)});
}

/// Cuts the blocks into pieces of at most `most` targets.
BlockRanges cut_targets(const BlockRanges& blocks, std::size_t most) {
  BlockRanges pieces;
  for (const TargetBlock& block : blocks)
    for (std::size_t first = block.targets.first; first < block.targets.last; first += most)
      pieces.push_back({{first, std::min(first + most, block.targets.last)}, block.sources});
  return pieces;
}

BlockRanges without_ranges(const std::vector<SampleRange>& targets) {
  BlockRanges blocks;
  blocks.reserve(targets.size());
  for (const SampleRange& range : targets) blocks.push_back({range, {}});
  return blocks;
}

Vec3 origin_of(const SamplesView& samples) {
  return samples.size() > 0 ? samples.point(0) : Vec3{};
}

}  // namespace

/// The targets, the sources and what is summed.
struct RangeReduction::Plan {
  const KernelPoints& targets;
  const KernelPoints& sources;
  const BlockRanges* ranges;  ///< the caller's; null if a box tree finds them
  std::span<const double> b;
  std::size_t channels;
  PairShape shape;
  Precision precision = Precision::f64;
  std::string_view stage;
  std::optional<PairTerm> of{};  ///< a term other than the channels

  std::size_t results() const { return of ? sums_of(*of) : channels; }
  PairTerm term() const { return of.value_or(channels == 1 ? PairTerm::one : PairTerm::four); }
  /// Fills work.channels with `b` times the kernels' heights, in the order of the sources. For
  /// float sums they are divided by the returned scale, so that floats hold them.
  double sort_channels(PairWork& work) const;
};

double RangeReduction::Plan::sort_channels(PairWork& work) const {
  work.channels.assign(channels, std::vector<double>(sources.size()));
  double largest = 0;
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t at = 0; at < sources.size(); ++at) {
      const double height = shape == PairShape::sources ? sources.amplitude(at) : 1;
      const double value = height * b[sources.index(at) * channels + c];
      work.channels[c][at] = value;
      largest = std::max(largest, std::abs(value));
    }
  if (precision == Precision::f64 || !(largest > 0) || !std::isfinite(largest)) return 1;
  const double scale = std::exp2(std::ilogb(largest));
  for (double& value : work.channels[0]) value /= scale;
  return scale;
}

RangeReduction::RangeReduction(const Kernel& kernel, const SamplesView& samples, int threads)
    : kernel_(kernel),
      space_(kernel, samples.shaped(), origin_of(samples)),
      samples_(space_, samples, Order::octants),
      threads_(thread_count(threads)),
      chooses_threads_(threads <= 0) {}

RangeReduction::RangeReduction(const Kernel& kernel, const SamplesView& samples, BlockRanges ranges,
                               int threads)
    : kernel_(kernel),
      space_(kernel, samples.shaped(), origin_of(samples)),
      samples_(space_, samples, Order::as_given),
      ranges_(std::move(ranges)),
      threads_(thread_count(threads)),
      chooses_threads_(threads <= 0) {}

std::vector<double> RangeReduction::reduce(std::span<const double> points,
                                           std::span<const double> b, std::size_t channels,
                                           Progress& progress, std::string_view stage,
                                           Precision precision) const {
  require_channels(b.size(), samples_.size(), channels);
  if (ranges_) require_ranges(*ranges_, points.size() / 3, samples_.size());
  const KernelPoints targets(space_, points, ranges_ ? Order::as_given : Order::octants);
  // Floats are only for densities of one kernel, in blocks as narrow as the kernel.
  const bool is_plain = channels == 1 && !space_.shaped() && !ranges_;
  const Precision sums = is_plain ? precision : Precision::f64;
  return run({targets, samples_, ranges_ ? &*ranges_ : nullptr, b, channels,
              space_.shaped() ? PairShape::sources : PairShape::ball, sums, stage},
             progress);
}

std::vector<double> RangeReduction::gradients(std::span<const double> points,
                                              std::span<const double> b, Progress& progress) const {
  require_channels(b.size(), samples_.size(), 1);
  if (ranges_) require_ranges(*ranges_, points.size() / 3, samples_.size());
  if (!slope_of(kernel_))
    throw Error(
        ErrorKind::usage,
        fmt::format("the {} kernel has no gradient that skde knows", kernel_.function->name),
        {"kernel", "choose another `kernel`, or leave out `gradient`"});
  const KernelPoints targets(space_, points, ranges_ ? Order::as_given : Order::octants);
  std::vector<double> values = run({targets, samples_, ranges_ ? &*ranges_ : nullptr, b, 1,
                                    space_.shaped() ? PairShape::sources : PairShape::ball,
                                    Precision::f64, "gradient", PairTerm::gradient},
                                   progress);
  for (std::size_t i = 0; i + 2 < values.size(); i += 3) {
    const Vec3 world = space_.world_gradient({values[i], values[i + 1], values[i + 2]});
    values[i] = world.x;
    values[i + 1] = world.y;
    values[i + 2] = world.z;
  }
  return values;
}

template <class Real>
void RangeReduction::sum_blocks(const Plan& plan, const PairWork& work, std::span<double> values,
                                SharedProgress& shared) const {
  constexpr std::size_t kTogether = PairSources<Real>::kChannels;
  const std::size_t results = plan.results(), sums_a_target = sums_of(work.term);
  const std::optional<BoxTree> tree =
      plan.ranges ? std::nullopt : std::optional<BoxTree>(std::in_place, plan.sources);
  const BlockRanges blocks = plan.ranges
                                 ? cut_targets(*plan.ranges, kMostTargets)
                                 : without_ranges(plan.targets.blocks(kMostTargets, kLongestBlock));
  const double reach = plan.shape == PairShape::ball ? 1 : 0;
  constexpr double kSecondsAPair = 1e-9;
  const double pairs =
      static_cast<double>(plan.targets.size()) * static_cast<double>(plan.sources.size());
  const int threads = chooses_threads_ ? threads_worth(kSecondsAPair * pairs, threads_) : threads_;
  std::atomic<bool> stopped = false;
  FirstFailure failure;
#pragma omp parallel num_threads(threads)
  {
    std::optional<BlockSums<Real>> sums;
    std::vector<SampleRange> near;
    failure.keep([&] { sums.emplace(work); });
    if (!sums) stopped = true;
#pragma omp for schedule(dynamic, 1)
    for (const TargetBlock& seen : blocks) {
      if (stopped) continue;
      const SampleRange block = seen.targets;
      failure.keep([&] {
        if (tree) tree->ranges_near(plan.targets.reach_of(block), reach, near);
        const double* const found = sums->sum(block, tree ? near : seen.sources);
        for (std::size_t t = 0; t < block.size(); ++t)
          for (std::size_t c = 0; c < results; ++c)
            values[plan.targets.index(block.first + t) * results + c] =
                found[c / kTogether * BlockSums<Real>::kGroup + t * sums_a_target + c % kTogether];
      });
      if (failure.any() || !shared.advance(block.size())) stopped = true;
    }
  }
  failure.rethrow();
  shared.finish();
}

std::vector<double> RangeReduction::run(const Plan& plan, Progress& progress) const {
  const std::size_t results = plan.results();
  std::vector<double> values(plan.targets.size() * results, 0.0);
  SharedProgress shared(progress, plan.stage, plan.targets.size(), "points");
  PairWork work{plan.targets, plan.sources,     plan.shape,
                plan.term(),  kernel_.function, kernel_.cut()};
  double height = 1;
  if (plan.term() == PairTerm::gradient) {
    const KernelSlope slope = *slope_of(kernel_);
    work.function = slope.function;
    height = 2 * slope.factor;
  }
  const double scale = plan.sort_channels(work);
  if (plan.precision == Precision::f32)
    sum_blocks<float>(plan, work, values, shared);
  else
    sum_blocks<double>(plan, work, values, shared);
  height *= scale * (space_.shaped() ? 1 : kernel_.amplitude());
  for (double& value : values) value *= height;
  return values;
}

namespace {

void require_range(const SampleRange& range, std::size_t count, std::string_view of) {
  if (range.first <= range.last && range.last <= count) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("the range [{}, {}) is outside the {} {}", range.first, range.last, count, of),
      {"ranges", "give ranges [first, last) within the points"});
}

}  // namespace

void require_ranges(const BlockRanges& blocks, std::size_t targets, std::size_t sources) {
  std::size_t past = 0;
  for (const TargetBlock& block : blocks) {
    require_range(block.targets, targets, "targets");
    if (block.targets.first < past)
      throw Error(
          ErrorKind::usage,
          fmt::format("the block of targets [{}, {}) overlaps the one before it",
                      block.targets.first, block.targets.last),
          {"ranges", "give blocks in the order of their targets, with each target in one block"});
    past = block.targets.last;
    for (const SampleRange& range : block.sources) require_range(range, sources, "sources");
  }
}

Vec3 reach_about_points(const Kernel& kernel) {
  constexpr double kRounding = 1e-6;
  return (1 + kRounding) * kernel.half_extents();
}

NearSamples::NearSamples(const Kernel& kernel, const SamplesView& samples,
                         std::span<const double> points)
    : all_(samples) {
  if (samples.shaped() || points.empty()) return;
  const Box box = compute_moments({points}).bounds();
  const Vec3 reach = reach_about_points(kernel);
  const Box near{box.lower - reach, box.upper + reach};
  std::size_t end = 0;  // of a run of samples within reach
  const auto go_on = [&](bool held) {
    while (end < samples.size() && near.holds(samples.point(end)) == held) ++end;
  };
  go_on(true);
  if (end == samples.size()) return;
  some_.emplace();
  append_samples(*some_, samples.slice(0, end));
  while (end < samples.size()) {
    go_on(false);
    const std::size_t begin = end;
    go_on(true);
    append_samples(*some_, samples.slice(begin, end - begin));
  }
}

std::vector<double> weights_of(const SamplesView& samples) {
  if (!samples.weighted()) return std::vector<double>(samples.size(), 1.0);
  return {samples.weights.begin(), samples.weights.end()};
}

std::vector<double> sums_at(std::span<const double> points, const Kernel& kernel,
                            const SamplesView& samples, int threads, Progress& progress) {
  return RangeReduction(kernel, samples, threads)
      .reduce(points, weights_of(samples), 1, progress, "pilot");
}

void add_sums_at(std::span<const double> points, const Kernel& kernel, const SamplesView& samples,
                 int threads, std::span<double> sums) {
  constexpr std::size_t kBlock = 8;  // points of a block; threads share the blocks
  BlockRanges all;
  for (std::size_t first = 0; first < sums.size(); first += kBlock)
    all.push_back({{first, std::min(first + kBlock, sums.size())}, {{0, samples.size()}}});
  NoProgress silent;
  const std::vector<double> more = RangeReduction(kernel, samples, std::move(all), threads)
                                       .reduce(points, weights_of(samples), 1, silent);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
}

}  // namespace skde
