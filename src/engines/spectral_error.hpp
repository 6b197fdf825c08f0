#pragma once

#include "core/kernel/kernel_function.hpp"

namespace skde {

/// Orders of the B-splines that the spectral engines spread samples with.
inline constexpr int kSplineOrders[] = {4, 6, 8, 10, 12};

/// Returns the error of a value, as a share of the peak, that one axis causes. The kernel's
/// conditional deviation (half width, if it is compact) spans `nodes` nodes along the axis. The
/// error has two parts: aliases of splines of this order, twice if the result is interpolated, and
/// the part of the kernel's transform beyond the nodes' frequencies. For a Gaussian it is a bound
/// for a lone sample in the worst place; crowds have about a fifth of it. For other kernels it is
/// fitted, and infinite if they are too rough.
double spectral_error(KernelFunction function, int order, double nodes, bool interpolated);

/// Returns the factor by which independent errors of the nodes' sums raise the variance of a value,
/// because a kernel's transform is divided by the splines'. It is the mean of 1 over the squared
/// transform of a spline of this order. The mean is over frequencies, weighted by the squared
/// transform of a Gaussian whose conditional deviation spans `nodes` nodes.
double spectral_gain(int order, double nodes);

/// Rounding error of transforms in float, as a share of the peak. It is largest for samples all
/// over the grid, where 4.1e-7 was measured.
inline constexpr double kFloatTransformError = 5e-7;
/// The same in double.
inline constexpr double kDoubleTransformError = 1e-12;

}  // namespace skde
