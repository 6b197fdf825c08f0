#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "core/kernel/kernel_mass.hpp"
#include "core/report/progress.hpp"
#include "core/space/triangle_mesh.hpp"
#include "core/space/volume.hpp"

namespace skde {

struct DensityRequest;  // estimate/values/request.hpp
struct SampleCloud;     // estimate/read/cloud.hpp

/// The points where normal . x > offset.
struct HalfSpace {
  Vec3 normal;
  double offset = 0;
};
struct Sphere {
  Vec3 centre;
  double radius = 0;
};
/// The body inside a closed mesh, by its triangles.
using Body = std::vector<Triangle>;
/// Where mass is asked for. Faces of a box may be at infinity.
using Region = std::variant<Box, HalfSpace, Sphere, Body>;

/// Returns the triangles of a mesh, turned so that their sides outwards look outwards. Throws
/// Error(input) unless each edge belongs to two triangles, once in each direction, and parts
/// neither overlap nor are inside out.
Body body_of(const TriangleMesh& mesh);

/// The mass in a region, as a share of the total.
struct RegionMass {
  double mass = 0;
  /// sd(m_i) / sqrt(n_eff), with m_i the share of sample i's kernel in the region: how the mass
  /// would scatter with other samples. None for a volume.
  std::optional<double> standard_error{};
  double error = 0;  ///< by which `mass` may be off: of integrals, or of the cells that are cut
};

/// The masses of a density's kernels, and what the kernels are.
struct KernelMasses {
  KernelFunction kernel;
  Bandwidth bandwidth;
  std::uint64_t samples = 0;
  double total_weight = 0;
  std::string units{}, frame{};  ///< of the coordinates; may be empty
  std::vector<RegionMass> regions{};
};

/// Returns the masses of kernels in regions, without a grid. Boxes and half-spaces are exact to
/// 1e-15 for Gaussians along the axes, else 1e-9; bodies to 1e-9; spheres to their stated error.
/// Kernels are not cut. Throws Error(unsupported) if the density has boundaries, what
/// DensitySampler throws, and Error(cancelled).
KernelMasses masses_in(const std::shared_ptr<const SampleCloud>& cloud,
                       const DensityRequest& request, std::span<const Region> regions,
                       Progress& progress);
/// Returns the masses of cells in regions, with `whole` as for mass_levels(). Of a cell that is cut
/// by a box counts the share of its volume that is inside; else cells count by their centres, and
/// the error is half of the mass of those that have a neighbour on the other side. Throws
/// Error(cancelled).
std::vector<RegionMass> masses_in(const Volume& volume, double whole,
                                  std::span<const Region> regions, Progress& progress);

}  // namespace skde
