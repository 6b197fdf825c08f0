#pragma once

#include <vector>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/space/space.hpp"

namespace skde::test {

/// Returns adaptive bandwidth factors by the definition of Abramson's law in double: (f_i /
/// g)^-alpha, where f_i sums the kernels of all samples at sample i and g is the weighted geometric
/// mean of f.
std::vector<double> adaptive_bandwidths(const SamplesView& points, KernelFunction kernel,
                                        const Symmetric3& H, double alpha);

}  // namespace skde::test
