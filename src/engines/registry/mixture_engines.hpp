#pragma once

#include <cstddef>
#include <memory>

#include "engines/engine_options.hpp"
#include "engines/mixture_engine.hpp"
#include "engines/offer.hpp"

namespace skde {

/// Returns what the engine of a device would do with a step over so many members, whose kernels
/// have the covariance `typical` (squared world units). Never throws.
Offer mixture_offer(const MixtureProblem& problem, std::size_t members, const Symmetric3& typical,
                    Device device);
/// Makes the engine of a device. Throws Error(resources) if there is none, and Error(input) if the
/// kernel's part of covariances is not positive definite.
std::unique_ptr<MixtureEngine> make_mixture_engine(const MixtureProblem& problem, Device device,
                                                   const EngineOptions& options);

}  // namespace skde
