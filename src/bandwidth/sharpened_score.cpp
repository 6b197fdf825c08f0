#include "bandwidth/sharpened_score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "bandwidth/pair_distances.hpp"
#include "bandwidth/sample_choice.hpp"
#include "core/kernel/exponential.hpp"
#include "core/kernel/kernel_profiles.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/ranges/round_space.hpp"
#include "engines/cpu/vector_instructions.hpp"

namespace skde {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::uint64_t kFoldSeed = 5;

/// Places in a space in which the kernel is a ball of deviation 1, and weights.
struct RoundPlaces {
  std::vector<float> x, y, z, w;

  explicit RoundPlaces(std::size_t count) : x(count), y(count), z(count), w(count) {}
  Vec3 at(std::size_t i) const { return {x[i], y[i], z[i]}; }
  void put(std::size_t i, Vec3 at) {
    x[i] = static_cast<float>(at.x);
    y[i] = static_cast<float>(at.y);
    z[i] = static_cast<float>(at.z);
  }
  std::size_t size() const { return x.size(); }
};

/// Sums over the sources near a target: of w k, and of w k times each difference of places.
using NearSums = std::array<double, 4>;

struct Span {
  std::size_t first = 0, last = 0;
};

[[gnu::always_inline]] inline void add_near(const RoundPlaces& sources, Span from,
                                            const RoundPlaces& targets, Span to, NearSums* sums) {
  constexpr std::size_t kBlock = 512;  // of floats that are added before they become doubles
  constexpr float kFar = 64;           // beyond 8 deviations; products below 1e-38 would be slow
  const float* const sx = sources.x.data();
  const float* const sy = sources.y.data();
  const float* const sz = sources.z.data();
  const float* const sw = sources.w.data();
  for (std::size_t t = to.first; t < to.last; ++t) {
    const float x = targets.x[t], y = targets.y[t], z = targets.z[t];
    for (std::size_t first = from.first; first < from.last; first += kBlock) {
      const std::size_t last = std::min(first + kBlock, from.last);
      float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
      for (std::size_t i = first; i < last; ++i) {
        const float dx = sx[i] - x, dy = sy[i] - y, dz = sz[i] - z;
        const float q = dx * dx + dy * dy + dz * dz;
        const float k = q < kFar ? sw[i] * exp_of_negative(-0.5F * q) : 0.0F;
        s0 += k;
        s1 += k * dx;
        s2 += k * dy;
        s3 += k * dz;
      }
      NearSums& sum = sums[t];
      sum[0] += static_cast<double>(s0);
      sum[1] += static_cast<double>(s1);
      sum[2] += static_cast<double>(s2);
      sum[3] += static_cast<double>(s3);
    }
  }
}

using AddNear = void (*)(const RoundPlaces&, Span, const RoundPlaces&, Span, NearSums*);

void add_near_any(const RoundPlaces& sources, Span from, const RoundPlaces& targets, Span to,
                  NearSums* sums) {
  add_near(sources, from, targets, to, sums);
}
#if defined(__x86_64__)
SKDE_AVX512 void add_near_avx512(const RoundPlaces& sources, Span from, const RoundPlaces& targets,
                                 Span to, NearSums* sums) {
  add_near(sources, from, targets, to, sums);
}
SKDE_AVX2 void add_near_avx2(const RoundPlaces& sources, Span from, const RoundPlaces& targets,
                             Span to, NearSums* sums) {
  add_near(sources, from, targets, to, sums);
}
#endif

AddNear best_near() {
#if defined(__x86_64__)
  if (vector_instructions() == VectorInstructions::avx512) return add_near_avx512;
  if (vector_instructions() == VectorInstructions::avx2) return add_near_avx2;
#endif
  return add_near_any;
}

class SharpenedScore final : public BandwidthScore {
 public:
  SharpenedScore(const ScoredSamples& cloud, const Boundaries& boundaries, const Box& box)
      : samples_(choose_by_value(cloud.samples, cloud.samples.size(), kFoldSeed)),
        count_(samples_.size()),
        threads_(thread_count(cloud.threads)) {
    const RoundSpace round(cloud.S, compute_moments(samples_.view()).mean());
    volume_ = round.volume();
    for (int a = 0; a < 3; ++a) {
      Vec3 unit{};
      unit[a] = 1;
      axes_[static_cast<std::size_t>(a)] = round(unit) - round(Vec3{});
    }
    if (has_boundary(boundaries)) add_images(cloud, boundaries, box);
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const Vec3 at = round(samples_.view().point(i));
      std::ranges::copy(std::array{at.x, at.y, at.z}, &samples_.xyz[3 * i]);
    }
    for (std::size_t k = 0; k < kFolds; ++k) {
      folds_[k] = {k * count_ / kFolds, (k + 1) * count_ / kFolds};
      const auto first_image = [&](std::size_t of) {
        return count_ +
               static_cast<std::size_t>(std::ranges::lower_bound(owners_, of) - owners_.begin());
      };
      images_[k] = {first_image(folds_[k].first), first_image(folds_[k].last)};
      for (std::size_t i = folds_[k].first; i < folds_[k].last; ++i)
        fold_weights_[k] += samples_.view().weight(i);
      weight_ += fold_weights_[k];
    }
  }

  double at(double h, Progress& progress) override {
    progress.throw_if_cancelled();
    const RoundPlaces plain = places(h);
    const Span own{0, count_};
    std::array<std::vector<NearSums>, kFolds> by_fold;
    for (std::size_t k = 0; k < kFolds; ++k) by_fold[k] = near(plain, {k}, plain, own);
    constexpr double kTwice = std::numbers::sqrt2;  // two kernels convolved are so much wider
    const RoundPlaces all = moved(plain, by_fold, kFolds, kTwice);
    const std::vector<NearSums> squares = near(all, {0, 1, 2, 3, 4}, all, own);
    double square = 0, held = 0;
    for (std::size_t i = 0; i < count_; ++i) square += samples_.view().weight(i) * squares[i][0];
    for (std::size_t k = 0; k < kFolds; ++k) {
      const RoundPlaces others = moved(plain, by_fold, k, 1);
      std::vector<std::size_t> folds;
      for (std::size_t other = 0; other < kFolds; ++other)
        if (other != k) folds.push_back(other);
      const std::vector<NearSums> sums = near(others, folds, plain, folds_[k]);
      double fold = 0;
      for (std::size_t i = folds_[k].first; i < folds_[k].last; ++i)
        fold += samples_.view().weight(i) * sums[i][0];
      if (fold > 0) held += fold * weight_ / (weight_ - fold_weights_[k]);
    }
    const double height = GaussianProfile::kConstant / (h * h * h * volume_ * weight_);
    return height * (square / (kTwice * kTwice * kTwice) - 2 * held);
  }

 private:
  /// Appends the images of the samples at faces, in world units.
  void add_images(const ScoredSamples& cloud, const Boundaries& boundaries, const Box& box) {
    constexpr double kReach = 4;
    const Symmetric3& S = cloud.S;
    const Vec3 reach =
        kReach * cloud.reference * Vec3{std::sqrt(S.xx), std::sqrt(S.yy), std::sqrt(S.zz)};
    const FaceImages images = images_at_faces(samples_.view(), boundaries, box, reach);
    owners_ = images.of;
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      unsigned mirrored = 0;
      for (unsigned a = 0; a < 3; ++a)
        if (boundaries[a] != Boundary::periodic &&
            images.xyz[3 * i + a] != samples_.xyz[3 * owners_[i] + a])
          mirrored |= 1U << a;
      mirrored_.push_back(mirrored);
      if (samples_.view().weighted()) samples_.weights.push_back(samples_.weights[owners_[i]]);
    }
    samples_.xyz.insert(samples_.xyz.end(), images.xyz.begin(), images.xyz.end());
  }

  /// Returns a move in the round space with some axes of the world reversed, one bit for each.
  Vec3 mirrored(Vec3 move, unsigned which) const {
    const auto& [x, y, z] = axes_;  // an upper triangle
    const double along_z = move.z / z.z, along_y = (move.y - along_z * z.y) / y.y,
                 along_x = (move.x - along_z * z.x - along_y * y.x) / x.x;
    const auto sign = [&](unsigned axis) { return (which >> axis & 1U) != 0 ? -1.0 : 1.0; };
    return (sign(0) * along_x) * x + (sign(1) * along_y) * y + (sign(2) * along_z) * z;
  }

  RoundPlaces places(double h) const {
    const SamplesView points = samples_.view();
    RoundPlaces to(points.size());
    for (std::size_t i = 0; i < to.size(); ++i) {
      to.put(i, (1 / h) * points.point(i));
      to.w[i] = static_cast<float>(points.weight(i) / weight_);
    }
    return to;
  }

  /// Returns the places moved by half of the mean shifts that all folds but `without` cause, in
  /// units of `wider` kernels. Images move as their samples do.
  RoundPlaces moved(const RoundPlaces& plain,
                    const std::array<std::vector<NearSums>, kFolds>& by_fold, std::size_t without,
                    double wider) const {
    RoundPlaces to = plain;
    std::vector<Vec3> moves(count_);
    for (std::size_t i = 0; i < to.size(); ++i) {
      Vec3 move;
      if (i < count_) {
        NearSums sum{};
        for (std::size_t k = 0; k < kFolds; ++k)
          for (std::size_t a = 0; k != without && a < sum.size(); ++a) sum[a] += by_fold[k][i][a];
        const double half = sum[0] > 0 ? 0.5 / sum[0] : 0;
        move = moves[i] = {half * sum[1], half * sum[2], half * sum[3]};
      } else {
        move = mirrored(moves[owners_[i - count_]], mirrored_[i - count_]);
      }
      to.put(i, (1 / wider) * (plain.at(i) + move));
    }
    return to;
  }

  void add(const RoundPlaces& sources, Span from, const RoundPlaces& targets, Span to,
           std::vector<NearSums>& sums) const {
    constexpr std::size_t kTogether = 32;
    const AddNear add_block = best_near();
    const std::size_t blocks = (to.last - to.first + kTogether - 1) / kTogether;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads_)
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t first = to.first + b * kTogether;
      add_block(sources, from, targets, {first, std::min(first + kTogether, to.last)}, sums.data());
    }
  }
  /// Returns sums over these folds with their images.
  std::vector<NearSums> near(const RoundPlaces& sources, const std::vector<std::size_t>& folds,
                             const RoundPlaces& targets, Span to) const {
    std::vector<NearSums> sums(count_);
    for (const std::size_t k : folds)
      for (const Span from : {folds_[k], images_[k]})
        if (from.first < from.last) add(sources, from, targets, to, sums);
    return sums;
  }

  /// In the order of folds, then images; in the space in which S is the unit matrix.
  Samples samples_;
  std::size_t count_;                  ///< of samples that are no images
  std::vector<std::uint32_t> owners_;  ///< samples of the images
  std::vector<unsigned> mirrored_;     ///< axes of the world along which images are mirrored
  std::array<Vec3, 3> axes_{};         ///< of the world, in the round space
  int threads_;
  double volume_ = 1, weight_ = 0;
  std::array<Span, kFolds> folds_{}, images_{};
  std::array<double, kFolds> fold_weights_{};
};

}  // namespace

std::unique_ptr<BandwidthScore> sharpened_score(const ScoredSamples& cloud,
                                                const Boundaries& boundaries, const Box& box) {
  return std::make_unique<SharpenedScore>(cloud, boundaries, box);
}

}  // namespace skde
