#pragma once

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/space/space.hpp"

namespace skde::test {

// Scores of bandwidths by their definitions, over all pairs, in double. They share no code with the
// library.

/// Returns the integral of f^2 minus 2 sum_i w_i f_-i(x_i) / W; the integral is a sum over n^3
/// cells around the samples.
double least_squares_reference(const SamplesView& points, KernelFunction kernel,
                               const Symmetric3& H, int n);

/// Returns the same score of (1 - q)^degree with H = h^2 I, from a sum over all pairs of the kernel
/// and of its convolution with itself, whose integral is a sum over distances.
double least_squares_by_pairs(const SamplesView& points, int degree, double h);

/// Returns the plug-in rule's h for H = h^2 I, with derivatives of a Gaussian as products of
/// Hermite polynomials. `roughness` is the integral of k^2 and `variance` that of x^2 k.
double plug_in_reference(const SamplesView& points, double roughness, double variance);

}  // namespace skde::test
