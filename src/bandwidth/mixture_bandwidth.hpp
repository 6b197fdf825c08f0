#pragma once

#include <optional>

#include "bandwidth/bandwidth.hpp"
#include "core/mixture/mixture.hpp"

namespace skde {

/// Returns the covariance of the samples that a mixture stands for: that of its means plus the mean
/// of C_k - H, by mass.
Symmetric3 data_covariance(const Mixture& mixture);

/// Returns the Gaussian bandwidth of the spec for the samples that a mixture stands for, whose
/// n_eff is `effective_samples`. Throws Error(unsupported) if the spec needs the samples, or n_eff
/// where it is unknown; Error(input) if data_covariance() is needed but singular.
Bandwidth mixture_bandwidth(const Mixture& mixture, std::optional<double> effective_samples,
                            BandwidthSpec spec, KernelFunction kernel);

/// Returns what has to be added to every C_k to replace the kernel of a mixture by the Gaussian of
/// mixture_bandwidth(): the new H minus the old one. Throws what that throws, and Error(input) if a
/// covariance would not be positive definite.
Symmetric3 replaced_kernel(const Mixture& mixture, std::optional<double> effective_samples,
                           const BandwidthSpec& spec);

}  // namespace skde
