#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/cloud/moments.hpp"
#include "core/cloud/samples.hpp"
#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_mass.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "core/space/grid.hpp"

namespace skde {

/// The samples and the kernels' mass inside a box.
struct MassInBox {
  double weight = 0;          ///< sum of w_i times the share of kernel i that is inside
  std::uint64_t outside = 0;  ///< samples with a weight that lie outside the box
  std::uint64_t beyond = 0;   ///< of these, the ones beyond a face at which the box ends

  MassInBox& operator+=(const MassInBox& other);
};

/// Returns the integrals of the kernels over the box, for any cells, by KernelMass. Samples that
/// meet edges or corners count as the product of the shares between opposite faces, plus a
/// correction: the mean excess of the integral over that product. If there are more than some
/// thousand of them, the mean is taken over that many, spread over all. Faces that reflect or
/// renormalise keep the whole kernels of samples between them, and nothing of others; periodic ones
/// keep all. The result does not depend on the number of threads (0: one per core).
MassInBox mass_in_box(const Kernel& kernel, const Box& box, const SamplesView& points,
                      const Boundaries& boundaries = {}, int threads = 0);

/// Computes mass_in_box block by block, for callers that have one block at a time. Safe for
/// concurrent use by any threads.
class BoxMass {
 public:
  BoxMass(const Kernel& kernel, const Box& box, const Boundaries& boundaries);
  /// For the box of a grid, on which per-sample kernels are widened to `min_width` cells. Throws
  /// what SampleShapes throws.
  BoxMass(const Kernel& kernel, const Grid& grid, const Boundaries& boundaries, double min_width);

  /// Samples per block; the last block may have fewer.
  static constexpr std::size_t kBlock = Moments::kBlock;
  /// The sums of one block.
  struct Sums {
    MassInBox known;
    double edge_weight = 0;   ///< of samples at edges and corners, left to integrals
    double edge_product = 0;  ///< edge_weight times products of shares between faces
    std::uint64_t edges = 0;

    Sums& operator+=(const Sums& other);
  };
  Sums sums(const SamplesView& block) const;
  /// As above, but at no cost if the block lies inside by more than the reach of its kernels.
  Sums sums(const SamplesView& block, const Moments& moments) const;
  /// Returns the share of sample i's kernel inside the box, always integrated at edges and corners.
  double inside(const SamplesView& points, std::size_t i) const;
  /// Returns the box inside which samples have common kernels that meet no face, even if they were
  /// `widen` times as wide. It may be empty.
  Box deep_box(double widen) const;
  /// Returns the result for all samples, given the sums of their blocks.
  MassInBox total(const SamplesView& points, std::span<const Sums> blocks, int threads) const;

 private:
  /// The box and the effect of its faces.
  struct Faces {
    Box box;      ///< faces that cut kernels or let them out; others are at infinity
    Box divided;  ///< only faces between which kernels are divided by their mass
    bool divides = false;

    Faces(const Box& given, const Boundaries& boundaries);
  };
  /// A kernel in units in which it has this width.
  struct Seen {
    Ellipsoid<double> ellipsoid;
    double width = 1;
  };
  Seen kernel_at(const SamplesView& points, std::size_t i) const;
  double share(Vec3 sample, const Seen& kernel) const;
  double product(Vec3 sample, const Seen& kernel) const;
  int crossed(Vec3 sample, const Seen& kernel) const;
  bool is_deep(Vec3 centre) const;
  /// Returns the samples at edges and corners that are integrated, in their order.
  std::vector<std::size_t> edge_samples(const SamplesView& points, std::span<const Sums> blocks,
                                        std::uint64_t one_in, int threads) const;

  KernelMass mass_;
  Box box_;
  Boundaries boundaries_;
  Faces faces_;
  double cut_;
  Ellipsoid<double> common_;
  std::optional<SampleShapes> at_floor_;
  Box deep_;  ///< samples inside it have common kernels that meet no face
};

/// Returns the result of `mass` for all samples.
MassInBox mass_in_box(const BoxMass& mass, const SamplesView& points, int threads = 0);

}  // namespace skde
