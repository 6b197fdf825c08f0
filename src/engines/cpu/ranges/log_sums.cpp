#include "engines/cpu/ranges/log_sums.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "core/kernel/exponential.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/vector_instructions.hpp"

namespace skde {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
constexpr std::size_t kBlockPoints = 64, kTogetherPoints = 256;
constexpr double kLongestSide = 2;  ///< of a block's box, in deviations of the common kernel
/// The share of a sum that may be left out, 1e-11, as minus its logarithm.
constexpr double kShare = 25.4;
/// The reference term of a sum is at most this far below the largest, as a logarithm.
constexpr double kNearLargest = 4;

constexpr double kLeast = -80;      ///< of exponents
constexpr double kRounded = -1e12;  ///< logarithms below it are rounded by more than counts
/// Returns a kernel whose ellipsoids are q = 1. Its heights are those of `kernel` but for a
/// constant.
Kernel of_one_deviation(const Kernel& kernel) { return {KernelFunction::uniform, kernel.H}; }

struct LoggedKernels {
  const double *x, *y, *z, *heights;
  const Ellipsoid<double>* ellipsoids;  ///< null if all are balls
};

/// Returns the logarithm of the profile: -sqrt(q) for exponentials, -q / 2 for Gaussians.
template <bool OfRoot>
[[gnu::always_inline]] inline double log_of(double q) {
  if constexpr (OfRoot) return -std::sqrt(q);
  return -0.5 * q;
}

/// Logarithms of the kernels of a range at a point.
template <bool OfRoot>
[[gnu::always_inline]] inline void find_logs(const LoggedKernels& from, const SampleRange& range,
                                             Vec3 at, double* logs) {
  const double *const x = from.x + range.first, *const y = from.y + range.first,
                      *const z = from.z + range.first, *const height = from.heights + range.first;
  const std::size_t count = range.size();
  if (from.ellipsoids == nullptr) {
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
      const double dx = at.x - x[i], dy = at.y - y[i], dz = at.z - z[i];
      logs[i] = height[i] + log_of<OfRoot>(dx * dx + dy * dy + dz * dz);
    }
    return;
  }
  const Ellipsoid<double>* const own = from.ellipsoids + range.first;
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i)
    logs[i] = height[i] + log_of<OfRoot>(own[i].q(at.x - x[i], at.y - y[i], at.z - z[i]));
}

/// The kernel that others are taken relative to, with its logarithm at the point.
struct Largest {
  std::size_t at = 0;
  double log = kMinusInfinity;
};

/// Finds the logarithms of Gaussian balls less the logarithm of the Gaussian `to`. The difference
/// of two squares is computed as a product, which keeps its digits however far the point is.
[[gnu::always_inline]] inline void find_differences(const LoggedKernels& from,
                                                    const SampleRange& range, Vec3 at,
                                                    std::size_t to, double* logs) {
  const double *const x = from.x + range.first, *const y = from.y + range.first,
                      *const z = from.z + range.first, *const height = from.heights + range.first;
  const std::size_t count = range.size();
  const double tx = from.x[to], ty = from.y[to], tz = from.z[to], top = from.heights[to];
  const double ax = 2 * at.x - tx, ay = 2 * at.y - ty, az = 2 * at.z - tz;
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i)
    logs[i] =
        height[i] - top -
        0.5 * ((tx - x[i]) * (ax - x[i]) + (ty - y[i]) * (ay - y[i]) + (tz - z[i]) * (az - z[i]));
}

/// Replaces each value by exp(value - top), with the exponent between `least` and its negative: far
/// out, rounding alone exceeds these. If `least` were a constant, compilers would turn the bounds
/// into branches and would not vectorise the loop.
[[gnu::always_inline]] inline void find_exponentials(double* logs, std::size_t count, double top,
                                                     double least) {
#pragma omp simd
  for (std::size_t i = 0; i < count; ++i) {
    double x = logs[i] - top;
    x = x > least ? x : least;
    x = x < -least ? x : -least;
    constexpr double kRound = 0x1.8p52;
    const double shifted = x * std::numbers::log2e + kRound;
    const double r = x - (shifted - kRound) * std::numbers::ln2;
    const auto power = std::bit_cast<std::uint64_t>(shifted) << 52;
    logs[i] =
        std::bit_cast<double>(std::bit_cast<std::uint64_t>(exponential_series<1, 12>(r)) + power);
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): an attribute cannot stand in parentheses
#define SKDE_LOG_LOOPS(SUFFIX, TARGET)                                                         \
  TARGET void find_logs_##SUFFIX(const LoggedKernels& from, const SampleRange& range, Vec3 at, \
                                 double* logs) {                                               \
    find_logs<false>(from, range, at, logs);                                                   \
  }                                                                                            \
  TARGET void find_root_logs_##SUFFIX(const LoggedKernels& from, const SampleRange& range,     \
                                      Vec3 at, double* logs) {                                 \
    find_logs<true>(from, range, at, logs);                                                    \
  }                                                                                            \
  TARGET void find_differences_##SUFFIX(const LoggedKernels& from, const SampleRange& range,   \
                                        Vec3 at, std::size_t to, double* logs) {               \
    find_differences(from, range, at, to, logs);                                               \
  }                                                                                            \
  TARGET void find_exponentials_##SUFFIX(double* logs, std::size_t count, double top,          \
                                         double least) {                                       \
    find_exponentials(logs, count, top, least);                                                \
  }
// NOLINTEND(bugprone-macro-parentheses)
#if defined(__x86_64__)
SKDE_LOG_LOOPS(avx512, SKDE_AVX512)
SKDE_LOG_LOOPS(avx2, SKDE_AVX2)
#endif
SKDE_LOG_LOOPS(any, )
#undef SKDE_LOG_LOOPS

/// The loops compiled for the best vector instructions of this machine.
struct LogLoops {
  explicit LogLoops(bool of_root) {
#if defined(__x86_64__)
    if (vector_instructions() == VectorInstructions::avx512) {
      logs = of_root ? find_root_logs_avx512 : find_logs_avx512;
      differences = find_differences_avx512;
      exponentials = find_exponentials_avx512;
      return;
    }
    if (vector_instructions() == VectorInstructions::avx2) {
      logs = of_root ? find_root_logs_avx2 : find_logs_avx2;
      differences = find_differences_avx2;
      exponentials = find_exponentials_avx2;
      return;
    }
#endif
    if (of_root) logs = find_root_logs_any;
  }

  decltype(&find_logs_any) logs = find_logs_any;
  decltype(&find_differences_any) differences = find_differences_any;
  decltype(&find_exponentials_any) exponentials = find_exponentials_any;
};

/// Maps a number of LeftOut to the current places of the samples that have it.
class OwnPlaces {
 public:
  OwnPlaces(const KernelPoints& samples, std::span<const std::size_t> of_sample) {
    if (of_sample.empty()) return;
    begin_.assign(*std::ranges::max_element(of_sample) + 2, 0);
    for (const std::size_t number : of_sample) ++begin_[number + 1];
    for (std::size_t n = 1; n < begin_.size(); ++n) begin_[n] += begin_[n - 1];
    places_.resize(of_sample.size());
    std::vector<std::size_t> next = begin_;
    for (std::size_t at = 0; at < samples.size(); ++at)
      places_[next[of_sample[samples.index(at)]]++] = at;
  }
  std::span<const std::size_t> of(std::size_t number) const {
    if (number + 1 >= begin_.size()) return {};
    return std::span(places_).subspan(begin_[number], begin_[number + 1] - begin_[number]);
  }

 private:
  std::vector<std::size_t> begin_, places_;
};

double log_of_sum(double a, double b) {
  const double most = std::max(a, b), least = std::min(a, b);
  return least == kMinusInfinity ? most : most + std::log1p(std::exp(least - most));
}

/// The inputs of the sums.
struct LogWork {
  bool of_root;  ///< exponentials, not Gaussians
  const KernelPoints& samples;
  const std::vector<double>& heights;
  const NearestBoxes& boxes;
  const KernelPoints& targets;
  OwnPlaces own;
  std::span<const std::size_t> at_point;
  std::vector<std::vector<double>> channels;  ///< in the current order of the samples
};

/// Computes the sums at one block of points. Used by one thread.
class LogBlock {
 public:
  explicit LogBlock(const LogWork& work)
      : work_(work),
        from_{work.samples.x(), work.samples.y(), work.samples.z(), work.heights.data(),
              work.samples.ellipsoids().empty() ? nullptr : work.samples.ellipsoids().data()},
        loops_(work.of_root) {
    for (auto& sums : channels_) sums.resize(work.channels.size());
  }

  void sum(const SampleRange& range, LogSums& to) {
    targets_ = range;
    const Box box = work_.targets.box_of(range);
    find_largest(box);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t t = 0; t < range.size(); ++t)
      if (has_sum(t)) least = std::min(least, largest_[t].log);
    const double each = kShare + std::log(static_cast<double>(work_.samples.size()));
    work_.boxes.above(box, least - each, near_);
    for (std::size_t t = 0; t < range.size(); ++t)
      if (largest_[t].log < kRounded && has_sum(t) && is_product()) correct_largest(t);
    sums_.fill(0);
    for (auto& sums : channels_) std::ranges::fill(sums, 0.0);
    for (const SampleRange& all : near_)
      for (std::size_t first = all.first; first < all.last; first += kTogetherPoints)
        add({first, std::min(first + kTogetherPoints, all.last)});
    for (std::size_t t = 0; t < range.size(); ++t) {
      if (!has_sum(t)) continue;
      const std::size_t i = work_.targets.index(range.first + t), count = work_.channels.size();
      to.logs[i] = largest_[t].log + std::log(sums_[t]);
      for (std::size_t c = 0; c < count; ++c) to.means[i * count + c] = channels_[t][c] / sums_[t];
    }
  }

 private:
  /// False if all samples are left out.
  bool has_sum(std::size_t t) const { return largest_[t].log > kMinusInfinity; }

  void find_largest(const Box& box) {
    largest_.fill({});
    work_.boxes.search(box, [&](const SampleRange& block) {
      double least = -kMinusInfinity;
      for (std::size_t t = 0; t < targets_.size(); ++t) {
        loops_.logs(from_, block, work_.targets.place(targets_.first + t), terms_.data());
        leave_out(t, block, kMinusInfinity);
        const auto end = terms_.begin() + static_cast<std::ptrdiff_t>(block.size());
        const auto most = std::max_element(terms_.begin(), end);
        if (*most > largest_[t].log)
          largest_[t] = {block.first + static_cast<std::size_t>(most - terms_.begin()), *most};
        least = std::min(least, largest_[t].log);
      }
      return least + kNearLargest;
    });
  }

  /// Whether differences of logarithms are products, whose digits distance does not take.
  bool is_product() const { return from_.ellipsoids == nullptr && !work_.of_root; }

  /// Takes the sample of the greatest difference for the largest, which rounding of q hid.
  void correct_largest(std::size_t t) {
    const Largest before = largest_[t];
    double most = 0;
    for (const SampleRange& all : near_)
      for (std::size_t first = all.first; first < all.last; first += kTogetherPoints) {
        const SampleRange range{first, std::min(first + kTogetherPoints, all.last)};
        loops_.differences(from_, range, work_.targets.place(targets_.first + t), before.at,
                           terms_.data());
        leave_out(t, range, kMinusInfinity);
        for (std::size_t i = 0; i < range.size(); ++i)
          if (terms_[i] > most) {
            most = terms_[i];
            largest_[t] = {range.first + i, before.log + most};
          }
      }
  }

  void leave_out(std::size_t t, const SampleRange& range, double value) {
    if (work_.at_point.empty()) return;
    const std::size_t number = work_.at_point[work_.targets.index(targets_.first + t)];
    for (const std::size_t at : work_.own.of(number))
      if (at >= range.first && at < range.last) terms_[at - range.first] = value;
  }

  void add(const SampleRange& range) {
    const std::size_t count = range.size();
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      if (!has_sum(t)) continue;
      const Vec3 at = work_.targets.place(targets_.first + t);
      if (is_product()) {
        loops_.differences(from_, range, at, largest_[t].at, terms_.data());
        loops_.exponentials(terms_.data(), count, 0, kLeast);
      } else {
        loops_.logs(from_, range, at, terms_.data());
        loops_.exponentials(terms_.data(), count, largest_[t].log, kLeast);
      }
      leave_out(t, range, 0);
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (std::size_t i = 0; i < count; ++i) sum += terms_[i];
      sums_[t] += sum;
      for (std::size_t c = 0; c < work_.channels.size(); ++c) {
        const double* const b = work_.channels[c].data() + range.first;
        double of_channel = 0;
#pragma omp simd reduction(+ : of_channel)
        for (std::size_t i = 0; i < count; ++i) of_channel += terms_[i] * b[i];
        channels_[t][c] += of_channel;
      }
    }
  }

  const LogWork& work_;
  LoggedKernels from_;
  LogLoops loops_;
  SampleRange targets_;
  std::array<Largest, kBlockPoints> largest_;
  std::array<double, kBlockPoints> sums_{};
  std::array<std::vector<double>, kBlockPoints> channels_;
  std::array<double, kTogetherPoints> terms_{};
  std::vector<SampleRange> near_;
};

}  // namespace

void LogSums::add(const LogSums& more) {
  const std::size_t channels = logs.empty() ? 0 : means.size() / logs.size();
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double sum = log_of_sum(logs[i], more.logs[i]);
    if (sum == kMinusInfinity) continue;
    const double share = std::exp(logs[i] - sum), other = std::exp(more.logs[i] - sum);
    for (std::size_t c = i * channels; c < (i + 1) * channels; ++c)
      means[c] = (share > 0 ? share * means[c] : 0) + (other > 0 ? other * more.means[c] : 0);
    logs[i] = sum;
  }
}

KernelLogs::KernelLogs(const Kernel& kernel, const SamplesView& samples, int threads)
    : kernel_(kernel),
      origin_(samples.size() > 0 ? samples.point(0) : Vec3{}),
      space_(of_one_deviation(kernel), samples.shaped(), origin_),
      samples_(space_, samples, KernelPoints::Order::octants, thread_count(threads)),
      heights_([&] {
        const double constant = kernel.function->constant / KernelFunction::uniform->constant;
        const double common = of_one_deviation(kernel).amplitude();
        std::vector<double> logs(samples.size());
        for (std::size_t at = 0; at < logs.size(); ++at)
          logs[at] = std::log(samples.weight(samples_.index(at))) +
                     std::log(constant * (samples.shaped() ? samples_.amplitude(at) : common));
        return logs;
      }()),
      boxes_(samples_, heights_, kernel.function->log),
      threads_(thread_count(threads)) {}

void KernelLogs::widen(double factor) {
  kernel_.H = (factor * factor) * kernel_.H;
  space_ = KernelSpace(of_one_deviation(kernel_), false, origin_);
  samples_.scale(1 / factor), boxes_.scale(1 / factor);
}

double KernelLogs::log_of_heights() const {
  double sum = kMinusInfinity;
  for (const double height : heights_) sum = log_of_sum(sum, height);
  return sum;
}

LogSums KernelLogs::at(std::span<const double> points, const LeftOut& left_out,
                       std::span<const double> b, std::size_t channels, Progress& progress,
                       std::string_view stage) const {
  const KernelPoints targets(space_, points, KernelPoints::Order::octants);
  LogWork work{
      kernel_.function == KernelFunction::exponential, samples_,          heights_, boxes_, targets,
      OwnPlaces(samples_, left_out.of_sample),         left_out.at_point, {}};
  work.channels.assign(channels, std::vector<double>(samples_.size()));
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t at = 0; at < samples_.size(); ++at)
      work.channels[c][at] = b[samples_.index(at) * channels + c];
  LogSums sums{
      std::vector<double>(targets.size(), kMinusInfinity),
      std::vector<double>(targets.size() * channels, std::numeric_limits<double>::quiet_NaN())};
  const std::vector<SampleRange> blocks = targets.blocks(kBlockPoints, kLongestSide);
  SharedProgress shared(progress, stage, targets.size(), "points");
  std::atomic<bool> stopped = false;
  FirstFailure failure;
#pragma omp parallel num_threads(threads_)
  {
    std::optional<LogBlock> block;
    failure.keep([&] { block.emplace(work); });
    if (!block) stopped = true;
#pragma omp for schedule(dynamic, 1)
    for (const SampleRange& range : blocks) {
      if (stopped) continue;
      failure.keep([&] { block->sum(range, sums); });
      if (failure.any() || !shared.advance(range.size())) stopped = true;
    }
  }
  failure.rethrow();
  shared.finish();
  return sums;
}

}  // namespace skde
