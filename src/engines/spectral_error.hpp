#pragma once

#include "core/kernel/kernel_function.hpp"

namespace skde {

/// Orders of the B-splines that the spectral engines spread samples with.
inline constexpr int kSplineOrders[] = {4, 6, 8, 10, 12};

/// By how much a value may be off as a share of the peak, for one axis along which the kernel's
/// conditional deviation (half width, where it has an end) spans `nodes` nodes: aliases of splines
/// of this order, twice where the result is interpolated, and what of the kernel's transform lies
/// beyond the nodes' frequencies. Of a Gaussian it is a bound for a lone sample in the worst place;
/// crowds stay a fifth of it. Of other kernels it is fitted, and an infinity where they are too
/// rough.
double spectral_error(KernelFunction function, int order, double nodes, bool interpolated);

/// What the deviation of a value grows by where the nodes' sums are each off by something of their
/// own, as a kernel's transform is divided by the splines': the mean of 1 over the squared
/// transform of a spline of this order, over the frequencies of a Gaussian's square whose
/// conditional deviation spans `nodes` nodes.
double spectral_gain(int order, double nodes);

/// Share of the peak that transforms in float round to: the largest is that of samples all over the
/// grid, measured as 4.1e-7.
inline constexpr double kFloatTransformError = 5e-7;
/// The same in double.
inline constexpr double kDoubleTransformError = 1e-12;

}  // namespace skde
