#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/kernel_function.hpp"
#include "core/progress.hpp"
#include "core/samples.hpp"

namespace skde {

/// Sums over the pairs of a cloud in the space where its matrix S is the unit matrix, in double.
/// Samples are sorted into blocks of neighbours; blocks out of each other's reach are passed over,
/// so that the work is that of the pairs that count. All sums are those of a sample over all
/// others, its own pair left out, in the order of the blocks; the same bits for any number of
/// threads.
class CloudPairs {
 public:
  static constexpr std::size_t kBlock = 64;
  /// Samples side by side, which vectors read; those past the end have weight 0.
  struct alignas(64) Block {
    std::array<double, kBlock> x{}, y{}, z{}, w{};
  };

  /// Samples without weight are left out. `threads` 0: one a core.
  CloudPairs(const SamplesView& samples, const Symmetric3& matrix, int threads = 0);

  std::size_t size() const { return size_; }
  double weight(std::size_t i) const { return blocks_[i / kBlock].w[i % kBlock]; }
  double total_weight() const { return total_weight_; }
  /// The root of the determinant of S.
  double volume() const { return volume_; }
  int threads() const { return threads_; }
  /// The weights of the pairs at one place, each pair twice: of every sample those of the others.
  std::vector<double> weights_at_own_place(Progress& progress) const;

  /// sum_j w_j k(r_ij^2 / h^2), the kernel's constant included. A Gaussian is cut where it is
  /// below 1e-14 of its height.
  std::vector<double> kernels(KernelFunction function, double h, Progress& progress) const;
  /// The same, and sum_j w_j (k * k)(r_ij^2 / h^2).
  struct Convolved {
    std::vector<double> kernel, convolution;
  };
  Convolved convolved(KernelFunction function, double h, Progress& progress) const;
  /// sum_j w_j (-1)^s lap^s phi(r_ij / g), of a Gaussian's s-th power of the Laplacian, s = 2 or 3,
  /// in the space in which g is 1.
  std::vector<double> laplacians(int s, double g, Progress& progress) const;
  /// log sum_j w_j exp(-r_ij^2 / (2 h^2)) over all others, however far: what is left of a sample
  /// that has none within reach. Work of all samples.
  double log_gaussians(std::size_t i, double h) const;

  /// Bytes of host memory that a sample takes, with what sums take.
  static constexpr double kSampleBytes = 32 + 8 + 16;

 private:
  struct Bounds {
    std::array<double, 3> lower, upper;
    double distance_squared(const Bounds& other) const;
    void hold(const Bounds& other);
  };

  void sort_into_blocks(std::vector<std::array<double, 4>>& samples);
  std::vector<std::size_t> blocks_near(std::size_t block, double reach) const;
  template <class Profile>
  Convolved sums(const Profile& profile, double reach, Progress& progress) const;

  std::size_t size_ = 0;
  double total_weight_ = 0, volume_ = 1;
  int threads_ = 1;
  std::vector<Block> blocks_;
  std::vector<Bounds> bounds_, group_bounds_;  // of each block, and of kBlock blocks
};

}  // namespace skde
