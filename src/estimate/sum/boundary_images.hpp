#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_mass.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "core/problem.hpp"
#include "core/space/grid.hpp"

namespace skde {

/// Images that the faces of a box make of samples: mirrored or shifted copies within reach of the
/// box. Their weights are divided by the mass of their kernels inside. The sum of the kernels of
/// what append() returns is exactly the density with its boundaries.
///
/// A mirrored kernel differs from the original if its axes are tilted against the faces. Samples
/// with matrices of their own carry the mirrored one; for samples that share H, each such kernel
/// needs a pass over the samples.
class BoundaryImages {
 public:
  /// For the box of the whole grid. `reach`: half extents of the widest kernel in world units.
  /// Throws Error(usage) if it spans so many boxes that a sample has thousands of images.
  BoundaryImages(const Boundaries& boundaries, const Problem& problem, Vec3 reach);

  /// From now on, makes images within `factor` times the kernels' reach of the box.
  void reach_further(double factor) { further_ = factor; }
  /// Returns the most images of a sample, not counting those added by reach_further().
  std::size_t most_images() const { return most_images_; }
  std::size_t passes() const { return kernels_.size(); }
  /// Returns the bandwidth matrix of a pass; pass 0 has the samples' own.
  const Symmetric3& matrix(std::size_t pass) const { return kernels_[pass]; }
  /// Returns whether samples within `cloud` are images of themselves, so that only their `others`
  /// are new.
  bool keeps(const Box& cloud) const;
  /// Returns whether a sample lies beyond a face at which the box ends; it then has no image.
  bool leaves_out(Vec3 at) const;
  enum class Which { all, others };
  /// Appends the images of sample i that belong to a pass.
  void append(const SamplesView& points, std::size_t i, std::size_t pass, Which which,
              Samples& to) const;
  /// Appends the images of all samples, in their order, using all threads. `scratch` is working
  /// memory.
  void append_all(const SamplesView& points, std::size_t pass, Which which,
                  std::vector<Samples>& scratch, Samples& to) const;
  /// Returns the most by which a weight grows, over all images of a sample together. For kernels
  /// without shapes of their own.
  double growth() const;

 private:
  struct Image {
    double place;
    bool mirrored;
  };
  /// Finds the images along one axis; the sample's own place comes first if it is kept.
  void images_along(int axis, double place, double reach, std::vector<Image>& to) const;
  double divisor(const SamplesView& points, std::size_t i) const;
  double share_inside(const Ellipsoid<double>& ellipsoid, Vec3 at) const;

  Boundaries boundaries_;
  Grid grid_;
  Box box_;
  SampleShapes shapes_;
  KernelMass mass_;
  bool divides_ = false;
  std::size_t most_images_ = 1;
  Vec3 common_reach_;
  double further_ = 1;
  std::vector<Symmetric3> kernels_;
  std::array<std::size_t, 8> pass_of_{};  ///< by mirrored axes, one bit for each
};

}  // namespace skde
