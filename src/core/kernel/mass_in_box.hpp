#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/cloud/moments.hpp"
#include "core/cloud/samples.hpp"
#include "core/grid.hpp"
#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_mass.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/kernel/sample_shapes.hpp"

namespace skde {

/// What of samples and their kernels lies in a box.
struct MassInBox {
  double weight = 0;          ///< sum of w_i times the share of kernel i that is inside
  std::uint64_t outside = 0;  ///< samples with a weight that lie outside themselves
  std::uint64_t beyond = 0;   ///< those of them that lie beyond a face at which the box ends

  MassInBox& operator+=(const MassInBox& other);
};

/// The integrals of the kernels over the box, whatever cells it has, as KernelMass finds them; of
/// more than some thousand that meet edges or corners, so many spread over them tell by how much
/// those of all differ from products of what lies between opposite faces.
/// Faces that reflect or renormalise keep all of the kernels of samples between them, and nothing
/// of others; periodic ones keep all. The result does not depend on the number of threads (0: one a
/// core).
MassInBox mass_in_box(const Kernel& kernel, const Box& box, const SamplesView& points,
                      const Boundaries& boundaries = {}, int threads = 0);

/// The same, block by block, for who has blocks at hand one after another. Any threads may use it
/// at once.
class BoxMass {
 public:
  BoxMass(const Kernel& kernel, const Box& box, const Boundaries& boundaries);
  /// Of the box of a grid, on which samples' own kernels are widened to `min_width` cells. Throws
  /// as SampleShapes.
  BoxMass(const Kernel& kernel, const Grid& grid, const Boundaries& boundaries, double min_width);

  /// Samples of a block; the last one may have fewer.
  static constexpr std::size_t kBlock = Moments::kBlock;
  /// Of a block.
  struct Sums {
    MassInBox known;
    double edge_weight = 0;   ///< of samples at edges and corners, which are left to integrals
    double edge_product = 0;  ///< the same times products of the shares between opposite faces
    std::uint64_t edges = 0;

    Sums& operator+=(const Sums& other);
  };
  Sums sums(const SamplesView& block) const;
  /// The same, which costs nothing where the block lies inside by more than its kernels reach.
  Sums sums(const SamplesView& block, const Moments& moments) const;
  /// The share of sample i's kernel that is inside, without a limit of samples at edges.
  double inside(const SamplesView& points, std::size_t i) const;
  /// What all samples come to, given the sums of their blocks.
  MassInBox total(const SamplesView& points, std::span<const Sums> blocks, int threads) const;

 private:
  /// The box and what its faces do.
  struct Faces {
    Box box;      ///< of faces that kernels reach out of or are cut at; others are at infinity
    Box divided;  ///< of those alone that kernels are divided by their mass between
    bool divides = false;

    Faces(const Box& given, const Boundaries& boundaries);
  };
  /// A kernel in units of which it has this width.
  struct Seen {
    Ellipsoid<double> ellipsoid;
    double width = 1;
  };
  Seen kernel_at(const SamplesView& points, std::size_t i) const;
  double share(Vec3 sample, const Seen& kernel) const;
  double product(Vec3 sample, const Seen& kernel) const;
  int crossed(Vec3 sample, const Seen& kernel) const;
  bool is_deep(Vec3 centre) const;

  KernelMass mass_;
  Box box_;
  Boundaries boundaries_;
  Faces faces_;
  double cut_;
  Ellipsoid<double> common_;
  std::optional<SampleShapes> at_floor_;
  Box deep_;  ///< whose samples have kernels of the common shape that meet no face
};

/// The same of all samples.
MassInBox mass_in_box(const BoxMass& mass, const SamplesView& points, int threads = 0);

}  // namespace skde
