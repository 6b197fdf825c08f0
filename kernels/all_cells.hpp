#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "kernels/chop_crop.hpp"
#include "kernels/launch_policy.hpp"
#include "kernels/located_samples.hpp"

namespace skde::kernels {

/// Most groups of samples that one launch takes: the limit of a grid's second dimension.
inline constexpr std::int64_t kMostTiles = 65535;

/// Evaluates every sample in every cell and adds its kernel atomically where q < 1: sample-wise KDE
/// without chop and crop. `count` is at most kMostTiles * policy.samples.
template <class Real>
void accumulate_all_cells(const LocatedSample<Real>* samples, std::int64_t count,
                          const Kernel& kernel, const Ellipsoid<Real>& e, GridDims dims,
                          Real* volume, const AllCellsPolicy& policy, cudaStream_t stream);

}  // namespace skde::kernels
