#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "kernels/launch_policy.hpp"
#include "kernels/located_samples.hpp"

/// The phases of S-KDE (Lopez-Novoa et al. 2015, section 4) as CUDA kernels. The caller provides
/// the memory of each.
namespace skde::kernels {

/// One slice of one sample's kernel: the cells [x, x + width) x [y, y + height) of slice z.
struct SliceTask {
  std::uint32_t sample;
  std::int32_t z, x, y, width, height;
};

struct GridDims {
  std::int32_t x, y, z;
};

/// Chop: one thread per sample writes how many slices its kernel has in the grid. `counts` holds
/// count + 1 values; the last one is set to 0.
template <class Real>
void chop_samples(const LocatedSample<Real>* samples, std::int64_t count, const Ellipsoid<Real>& e,
                  GridDims dims, std::int32_t* counts, cudaStream_t stream);

/// Returns the bytes of scratch memory that scan_counts needs for `count` samples.
std::size_t scan_scratch_bytes(std::int64_t count);
/// Sets offsets[i] = counts[0] + ... + counts[i - 1] for i in [0, count]. The last is the total.
void scan_counts(const std::int32_t* counts, std::int64_t* offsets, std::int64_t count,
                 void* scratch, std::size_t scratch_bytes, cudaStream_t stream);

/// Crop: one thread per slice writes its grid range, for slices [first_slice, first_slice + slices)
/// of the `count` samples.
template <class Real>
void crop_slices(const LocatedSample<Real>* samples, const std::int64_t* offsets,
                 std::int64_t count, std::int64_t first_slice, std::int64_t slices,
                 const Ellipsoid<Real>& e, GridDims dims, SliceTask* tasks, cudaStream_t stream);

/// Accumulate: processes all cells of all slices in parallel, with one atomic addition per cell
/// inside the kernel.
template <class Real>
void accumulate_slices(const LocatedSample<Real>* samples, const SliceTask* tasks,
                       std::int64_t slices, const Kernel& kernel, const Ellipsoid<Real>& e,
                       GridDims dims, Real* volume, const AccumulatePolicy& policy,
                       cudaStream_t stream);

}  // namespace skde::kernels
