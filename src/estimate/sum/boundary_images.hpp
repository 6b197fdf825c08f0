#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/grid.hpp"
#include "core/kernel/kernel_mass.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "core/problem.hpp"

namespace skde {

/// What the faces of a box make of samples: their images within reach of it, mirrored or shifted,
/// and weights that are divided by the mass of their kernels inside. The sum of the kernels of
/// what append() gives is the density with its boundaries, exactly, for whoever sums it.
///
/// A mirrored kernel is another one where its axes are tilted against the faces. Samples with
/// matrices of their own carry it; for those that share H, every kernel is a pass over the samples.
class BoundaryImages {
 public:
  /// Of the whole grid's box. `reach`: half extents of the widest kernel in world units.
  /// Error(usage) where it reaches over so many boxes that a sample has thousands of images.
  BoundaryImages(const Boundaries& boundaries, const Problem& problem, Vec3 reach);

  /// From now on images are those within so many times the kernels' reach of the box.
  void reach_further(double factor) { further_ = factor; }
  /// No sample has more, but for those further away.
  std::size_t most_images() const { return most_images_; }
  std::size_t passes() const { return kernels_.size(); }
  /// Bandwidth matrices of the passes, the samples' own first.
  const Symmetric3& matrix(std::size_t pass) const { return kernels_[pass]; }
  /// True where samples within `cloud` are images of themselves, so that only `others` of them are
  /// new.
  bool keeps(const Box& cloud) const;
  /// True of a sample beyond a face at which the box ends, which has no image.
  bool leaves_out(Vec3 at) const;
  enum class Which { all, others };
  /// Appends the images of sample i that belong to a pass.
  void append(const SamplesView& points, std::size_t i, std::size_t pass, Which which,
              Samples& to) const;
  /// The same of all samples, in their order, by all threads; `scratch` is theirs.
  void append_all(const SamplesView& points, std::size_t pass, Which which,
                  std::vector<Samples>& scratch, Samples& to) const;
  /// No weight becomes larger than so many times itself, all images of a sample together. Of
  /// kernels without shapes of their own.
  double growth() const;

 private:
  struct Image {
    double place;
    bool mirrored;
  };
  /// Along one axis, the sample's own place first where it keeps that.
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
  std::array<std::size_t, 8> pass_of_{};  ///< by the axes that are mirrored, a bit each
};

}  // namespace skde
