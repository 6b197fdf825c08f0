#include "engines/cpu/nearest_other.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/thread_room.hpp"
#include "engines/cpu/range_reduction.hpp"
#include "engines/cpu/round_space.hpp"

namespace skde {
namespace {

using Indices = std::vector<std::size_t>;

/// Counts neighbours with the uniform kernel, whose sums of ones are whole numbers.
class LonelySamples {
 public:
  LonelySamples(const SamplesView& samples, const Symmetric3& matrix, int threads,
                Progress& progress)
      : samples_(samples), matrix_(matrix), threads_(threads), progress_(progress) {}

  /// Those of some samples that have no other one within h.
  Indices of(const Indices& some, double h) const {
    std::vector<double> places;
    places.reserve(3 * some.size());
    for (const std::size_t i : some)
      places.insert(places.end(), &samples_.xyz[3 * i], &samples_.xyz[3 * i] + 3);
    const Kernel ball{KernelFunction::uniform, (h * h) * matrix_};
    const std::vector<double> ones(samples_.size(), 1 / ball.amplitude());
    const std::vector<double> counts =
        RangeReduction(ball, samples_, threads_).reduce(places, ones, 1, progress_, "neighbours");
    constexpr double kItself = 1.5;
    Indices lonely;
    for (std::size_t n = 0; n < some.size(); ++n)
      if (counts[n] < kItself) lonely.push_back(some[n]);
    return lonely;
  }

  /// The largest distance from one of these to its nearest other sample.
  double furthest_of(const Indices& few) const {
    const RoundSpace space(matrix_, samples_.point(few.front()));
    double furthest = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(max : furthest) num_threads(threads_)
    for (const std::size_t i : few) {
      const Vec3 own = space(samples_.point(i));
      double nearest = std::numeric_limits<double>::infinity();
      for (std::size_t j = 0; j < samples_.size(); ++j) {
        const Vec3 d = space(samples_.point(j)) - own;
        if (j != i) nearest = std::min(nearest, d.x * d.x + d.y * d.y + d.z * d.z);
      }
      furthest = std::max(furthest, nearest);
    }
    return std::sqrt(furthest);
  }

 private:
  SamplesView samples_;
  Symmetric3 matrix_;
  int threads_;
  Progress& progress_;
};

}  // namespace

double furthest_nearest(const SamplesView& samples, const Symmetric3& matrix, double guess,
                        int threads, Progress& progress) {
  constexpr std::size_t kFew = 64;
  constexpr double kStep = 1.5, kSame = 1e-9, kLeast = 1e-12;
  const int workers = thread_count(threads);
  const LonelySamples lonely(samples, matrix, workers, progress);
  Indices all(samples.size()), some;
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (all.size() <= kFew) return lonely.furthest_of(all);
  double lower = guess;
  some = lonely.of(all, lower);
  while (some.empty()) {
    if (lower < kLeast * guess) return 0;  // every place has two samples
    lower /= kStep;
    some = lonely.of(all, lower);
  }
  double upper = std::numeric_limits<double>::infinity();
  while (some.size() > kFew && upper - lower > kSame * lower) {
    const double middle =
        upper < std::numeric_limits<double>::infinity() ? (lower + upper) / 2 : kStep * lower;
    Indices left = lonely.of(some, middle);
    if (left.empty()) {
      upper = middle;
    } else {
      lower = middle;
      some = std::move(left);
    }
  }
  return some.size() <= kFew ? lonely.furthest_of(some) : lower;
}

}  // namespace skde
