#include "engines/cpu/spectral/spectral_spread.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "core/counting_sort.hpp"
#include "core/kernel/b_spline.hpp"
#include "core/report/error.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/vector_instructions.hpp"
#include "engines/engine.hpp"

namespace skde {
namespace {

/// The layout of the rows and slices of a working grid.
struct NodeRows {
  std::int64_t* nodes;
  std::array<std::int64_t, 3> counts;  ///< of nodes along x, y and z
  std::int64_t row, slice;
};

template <int Lanes>
using Reals [[gnu::vector_size(Lanes * 8)]] = double;
template <int Lanes>
using Integers [[gnu::vector_size(Lanes * 8)]] = std::int64_t;

/// Adds x times a factor, rounded to integers, to nodes of a row. A sum with kRound holds the
/// nearest integer in its last bits.
template <int Lanes>
[[gnu::always_inline]] inline void add_row(std::int64_t* row, const Reals<Lanes>& x,
                                           double factor) {
  constexpr double kRound = 0x1.8p52;
  const Reals<Lanes> product = x * factor + kRound;
  Integers<Lanes> rounded, sums;
  std::memcpy(&rounded, &product, sizeof rounded);
  std::memcpy(&sums, row, sizeof sums);
  sums += rounded - std::bit_cast<std::int64_t>(kRound);
  std::memcpy(row, &sums, sizeof sums);
}

/// Adds the products of a sample's three splines. Order 6 is padded with zeros to a vector of 8.
/// Orders above 8 need a second vector, of 4.
template <int M>
[[gnu::always_inline]] inline void add_sample(const NodeRows& to, const NodeSample& sample) {
  constexpr int kLanes = M == 4 ? 4 : 8;
  double spline[3][12] = {};
  std::int64_t first[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double node = std::floor(sample.at[axis]);
    first[axis] = static_cast<std::int64_t>(node) - M / 2 + 1;
    if (first[axis] < 0) first[axis] += to.counts[axis];  // only on axes that wrap
    b_spline_values<M>(sample.at[axis] - node, spline[axis]);
  }
  std::int64_t row_at[M], slice_at[M];
  for (int i = 0; i < M; ++i) {
    const std::int64_t j = first[1] + i, k = first[2] + i;
    row_at[i] = (j < to.counts[1] ? j : j - to.counts[1]) * to.row + first[0];
    slice_at[i] = (k < to.counts[2] ? k : k - to.counts[2]) * to.slice;
  }
  Reals<kLanes> x;
  Reals<4> rest;
  std::memcpy(&x, spline[0], sizeof x);
  std::memcpy(&rest, spline[0] + 8, sizeof rest);
  x *= sample.weight;
  rest *= sample.weight;
  for (int k = 0; k < M; ++k)
    for (int j = 0; j < M; ++j) {
      std::int64_t* const row = to.nodes + slice_at[k] + row_at[j];
      const double factor = spline[2][k] * spline[1][j];
      add_row<kLanes>(row, x, factor);
      if constexpr (M > 8) add_row<4>(row + 8, rest, factor);
    }
}

template <int M>
[[gnu::always_inline]] inline void add_samples_inline(const NodeRows& to,
                                                      std::span<const NodeSample> samples) {
  for (const NodeSample& sample : samples) add_sample<M>(to, sample);
}

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute cannot stand in parentheses
#define SKDE_SPREAD_SAMPLES(NAME, TARGET)                                     \
  template <int M>                                                            \
  TARGET void NAME(const NodeRows& to, std::span<const NodeSample> samples) { \
    add_samples_inline<M>(to, samples);                                       \
  }
// NOLINTEND(bugprone-macro-parentheses)
#if defined(__x86_64__)
SKDE_SPREAD_SAMPLES(spread_samples_avx512, SKDE_AVX512)
SKDE_SPREAD_SAMPLES(spread_samples_avx2, SKDE_AVX2)
#endif
SKDE_SPREAD_SAMPLES(spread_samples_any, )
#undef SKDE_SPREAD_SAMPLES

template <int M>
void spread_samples(const NodeRows& to, std::span<const NodeSample> samples) {
#if defined(__x86_64__)
  const VectorInstructions best = vector_instructions();
  if (best == VectorInstructions::avx512) return spread_samples_avx512<M>(to, samples);
  if (best == VectorInstructions::avx2) return spread_samples_avx2<M>(to, samples);
#endif
  spread_samples_any<M>(to, samples);
}

void spread_samples(int order, const NodeRows& to, std::span<const NodeSample> samples) {
  with_spline_order(order, [&](auto m) { spread_samples<m>(to, samples); });
}

}  // namespace

SpectralSpread::SpectralSpread(const SpectralPlan& plan, double total_weight, int threads)
    : plan_(plan),
      column_(std::max(8, plan.order)),
      scale_(plan.numbers / total_weight),
      threads_(threads) {}

double SpectralSpread::fixed_bytes(const SpectralPlan& plan, int threads) {
  const SpectralSpread spread(plan, 1, threads);
  return static_cast<double>(spread.columns(plan.axes[1])) * spread.columns(plan.axes[2]) *
         sizeof(std::size_t) * (threads + 1);
}

NodeSample SpectralSpread::placed(const SamplesView& points, std::size_t i) const {
  const Vec3 at = points.point(i);
  NodeSample sample;
  for (std::size_t a = 0; a < 3; ++a) {
    const SpectralAxis& axis = plan_.axes[a];
    sample.at[a] = axis.node_at(at[static_cast<int>(a)]);
    if (!axis.wraps) continue;
    sample.at[a] -= axis.nodes * std::floor(sample.at[a] / axis.nodes);
    if (!(sample.at[a] < axis.nodes)) sample.at[a] = 0;  // values just below 0
  }
  sample.weight = scale_ * points.weight(i);
  return sample;
}

std::int32_t SpectralSpread::column_of(const NodeSample& sample) const {
  if (sample.weight == 0) return -1;
  for (std::size_t a = 0; a < 3; ++a) {
    const int half = plan_.order / 2;
    if (!plan_.axes[a].wraps &&
        !(sample.at[a] >= half - 1 && sample.at[a] < plan_.axes[a].nodes - half))
      return -1;
  }
  return column_along(plan_.axes[2], sample.at[2]) * columns(plan_.axes[1]) +
         column_along(plan_.axes[1], sample.at[1]);
}

/// Axes that wrap have an even number of columns, so that the first and the last differ in colour.
std::int32_t SpectralSpread::columns(const SpectralAxis& axis) const {
  if (!axis.wraps) return (axis.nodes + column_ - 1) / column_;
  return std::max(1, axis.nodes / (2 * column_) * 2);
}

std::int32_t SpectralSpread::column_along(const SpectralAxis& axis, double at) const {
  const auto node = static_cast<std::int32_t>(at);
  if (!axis.wraps) return node / column_;
  return static_cast<std::int32_t>(std::int64_t{node} * columns(axis) / axis.nodes);
}

void SpectralSpread::require_digits(double heaviest) {
  constexpr double kMost = 0x1p51 * (1 + 1e-9);
  if (heaviest <= kMost) return;
  throw Error(ErrorKind::unsupported,
              "the integer sums of the transform overflow: a sample's weight is too large",
              {"engine", "use `engine=tile`"});
}

void SpectralSpread::sort(const SamplesView& points, Progress& progress) {
  const auto count = static_cast<std::size_t>(columns(plan_.axes[1])) *
                     static_cast<std::size_t>(columns(plan_.axes[2]));
  const auto column = std::make_unique_for_overwrite<std::int32_t[]>(points.size());
  SharedProgress shared(progress, "sort", 2 * points.size(), "samples");
  const auto each = reported_loop(shared);
  std::vector<double> heaviest(static_cast<std::size_t>(threads_));
  CountingSort sort(points.size(), count, threads_);
  sort.count(each, [&](std::size_t i, int t) {
    const NodeSample sample = placed(points, i);
    double& most = heaviest[static_cast<std::size_t>(t)];
    most = std::max(most, std::abs(sample.weight));
    return column[i] = column_of(sample);
  });
  require_digits(std::ranges::max(heaviest));
  shared.finish();
  starts_ = sort.starts();
  if (starts_.back() > capacity_) {
    samples_.reset();
    samples_ = std::make_unique_for_overwrite<NodeSample[]>(starts_.back());
    capacity_ = starts_.back();
  }
  sort.deal(
      each, [&](std::size_t i, int) { return column[i]; },
      [&](std::size_t i, std::size_t to) { samples_[to] = placed(points, i); });
  shared.finish();
}

void SpectralSpread::add(std::int64_t* nodes, Progress& progress) const {
  constexpr std::size_t kSamplesBetweenChecks = 1 << 16;
  const std::int32_t ny = columns(plan_.axes[1]), nz = columns(plan_.axes[2]);
  const auto& axes = plan_.axes;
  const NodeRows to{nodes,
                    {axes[0].nodes, axes[1].nodes, axes[2].nodes},
                    plan_.row(),
                    plan_.row() * axes[1].nodes};
  SharedProgress shared(progress, kAccumulateStage, starts_.back(), "samples");
  std::atomic<bool> stopped = false;
  for (int colour = 0; colour < 4; ++colour) {
    const std::int32_t y0 = colour % 2, z0 = colour / 2;
    const std::int32_t across = (ny - y0 + 1) / 2, along = (nz - z0 + 1) / 2;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
    for (std::int32_t i = 0; i < across * along; ++i) {
      const std::int32_t z = z0 + 2 * (i / across), y = y0 + 2 * (i % across);
      const std::size_t c =
          static_cast<std::size_t>(z) * static_cast<std::size_t>(ny) + static_cast<std::size_t>(y);
      for (std::size_t begin = starts_[c]; begin < starts_[c + 1] && !stopped;) {
        const std::size_t end = std::min(begin + kSamplesBetweenChecks, starts_[c + 1]);
        spread_samples(plan_.order, to, {samples_.get() + begin, end - begin});
        if (!shared.advance(end - begin)) stopped = true;
        begin = end;
      }
    }
  }
  shared.finish();
}

}  // namespace skde
