#pragma once

#include <optional>

#include "bandwidth/bandwidth.hpp"
#include "core/mixture/mixture.hpp"

namespace skde {

/// Returns the covariance of the samples that a mixture stands for: that of its means plus the mean
/// of C_k - H, by mass.
Symmetric3 data_covariance(const Mixture& mixture);

/// Returns what has to be added to every C_k to replace the kernel of a mixture by the Gaussian of
/// the spec: the new H minus the old one. `effective_samples` is n_eff of the samples that it
/// stands for, for rules. Throws Error(unsupported) if the spec needs the samples, or n_eff where
/// it is unknown; Error(input) if data_covariance() is needed but singular, or if a covariance
/// would not be positive definite.
Symmetric3 replaced_kernel(const Mixture& mixture, std::optional<double> effective_samples,
                           BandwidthSpec spec);

}  // namespace skde
