#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/mixture/member_steps.hpp"

/// The way back of a mixture on CUDA: a warp sums the moments of a member, or of some slices of a
/// large one, in registers, and writes them once.
namespace skde::kernels {

/// Boxes that cotangents are sorted by: the cells of a grid, or the bins of points.
struct MomentBoxes {
  std::int32_t dims[3];  ///< boxes along x, y, z
  double lowest[3];      ///< place of the lower face of the first box, in cells
  double edge[3];        ///< of a box, in cells
};

/// Where cotangents lie. With `starts`, they belong to points: box b holds points [starts[b],
/// starts[b + 1]) at places x, y, z. Otherwise each box is a cell.
template <class Real>
struct MomentSource {
  MomentBoxes boxes;
  const Real* cotangents = nullptr;
  const double *x = nullptr, *y = nullptr, *z = nullptr;
  const std::uint32_t* starts = nullptr;
};

/// A member as warps see it, in cells.
template <class Real>
struct MemberFrame {
  std::int32_t cell[3];  ///< the nearest one
  Real offset[3];        ///< of the mean from its centre
  Real sx, sy, inv_sx, inv_sy, inv_sz, bxy, bxz, bzy;
  Real ex;                        ///< half length along x of the largest slice
  Real height;                    ///< m of this member at its mean
  float half[3];                  ///< half extents of the cut Gaussian
  std::int32_t first[3], end[3];  ///< boxes that the cut Gaussian may reach
};

/// Device memory that the caller provides, for `count` members and most_moment_units(count) units.
template <class Real>
struct MomentArrays {
  const Member* members = nullptr;
  MemberFrame<Real>* frames = nullptr;
  std::uint32_t* first_unit = nullptr;  ///< count + 1 values
  std::uint32_t* member_of = nullptr;   ///< per unit
  MemberMoments* parts = nullptr;       ///< per unit
  MemberMoments* moments = nullptr;     ///< per member
  unsigned long long* work = nullptr;   ///< 2 values
};

/// Writes the frames of all members.
template <class Real>
void frame_members(const MomentSource<Real>& source, const MomentArrays<Real>& arrays,
                   std::size_t count, const Symmetric3& kernel, double cut, cudaStream_t stream);

/// Sums framed members at the source's points, in their order.
template <class Real>
void sum_at_points(const MomentSource<Real>& source, const MemberFrame<Real>* frames,
                   std::size_t count, std::size_t points, double cut, Real* values,
                   cudaStream_t stream);

/// A bound of the units of work of so many members.
std::size_t most_moment_units(std::size_t count);

/// Sums the moments of all members. If scratch is nullptr, only scratch_bytes is set. Runs give the
/// same bits.
template <class Real>
void gather_moments(const MomentSource<Real>& source, const MomentArrays<Real>& arrays,
                    std::size_t count, const Symmetric3& kernel, double cut, int multiprocessors,
                    void* scratch, std::size_t& scratch_bytes, cudaStream_t stream);

/// Members written as samples of an engine, in world units (SamplesView).
struct MemberSamples {
  double *xyz, *weights, *shapes;
  double first_centre[3], spacing[3];
};
void write_member_samples(const Member* members, std::size_t count, const Symmetric3& kernel,
                          const MemberSamples& to, cudaStream_t stream);

/// Moves all members by their moments: a step of Adam, or of expectation-maximisation if
/// `maximises`.
void update_members(Member* members, const MemberMoments* moments, std::size_t count,
                    const Symmetric3& kernel, bool maximises, const AdamStep& step,
                    double total_weight, cudaStream_t stream);

/// Number of partial losses.
inline constexpr int kLossBlocks = 1024;
/// Derives cotangents from values and what is given; writes kLossBlocks partial losses.
template <class Real>
void derive_cotangents(CotangentRule rule, const Real* values, const Real* given, std::size_t count,
                       Real* cotangents, double* losses, cudaStream_t stream);

}  // namespace skde::kernels
