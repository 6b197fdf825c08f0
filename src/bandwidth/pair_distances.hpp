#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/report/progress.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"

namespace skde {

/// Copies of samples behind the faces of a box.
struct FaceImages {
  std::vector<double> xyz;
  std::vector<std::uint32_t> of;  ///< the sample of each
};

/// Returns the copies of samples at reflecting, renormalizing (as if they reflected) and periodic
/// faces that lie within `reach` of the box.
FaceImages images_at_faces(const SamplesView& samples, const Boundaries& boundaries, const Box& box,
                           Vec3 reach);

/// The distances of all pairs of some thousand samples, as a histogram of fine classes. One pass
/// over the pairs makes it, and the least-squares score of any bandwidth follows from it. It takes
/// as long for every cloud of a size, and its bits do not depend on the number of threads.
class PairDistances {
 public:
  /// Measures distances in the metric of H: q = u^T H^-1 u. The images of the samples at faces
  /// count, too: f is then the density with these boundaries, and f_-i lacks the images of sample
  /// i. Throws Error(cancelled).
  PairDistances(const SamplesView& samples, const FaceImages& images, const Symmetric3& H,
                int threads, Progress& progress);

  /// Returns the least-squares score of Gaussians with the matrix t^2 H: the integral of f^2 less 2
  /// sum_i w_i f_-i(x_i) / W (Rudemo 1982, Bowman 1984), in inverse world volumes. Classes are 1.6
  /// % of q wide, so that it is accurate to 1e-4 of its first term.
  double least_squares(double t) const;

 private:
  /// Octaves of q that have classes. Smaller distances count as 0, larger ones are not counted.
  static constexpr int kLeastExponent = -44, kOctaves = 60, kClassBits = 6;
  static constexpr std::size_t kClasses = std::size_t{kOctaves} << kClassBits;

  /// Sums over the pairs of a class; half of them for images, whose pairs have one direction.
  struct Sums {
    double products = 0;  ///< w_i w_j
    double left_out = 0;  ///< w_i w_j (1 / (W - w_i) + 1 / (W - w_j)) / 2
  };

  std::vector<Sums> classes_;  ///< the first one: places that are the same
  double weight_ = 0, squares_ = 0;
  double volume_ = 1;  ///< root of det H
};

}  // namespace skde
