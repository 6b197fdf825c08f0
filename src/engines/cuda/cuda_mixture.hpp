#pragma once

#include <memory>

#include "engines/engine_options.hpp"
#include "engines/mixture_engine.hpp"
#include "engines/offer.hpp"

namespace skde {

/// Makes the engine on a GPU. It sums cells by the engine `cuda-tile`.
std::unique_ptr<MixtureEngine> make_cuda_mixture(const MixtureProblem& problem,
                                                 const EngineOptions& options);
Offer cuda_mixture_offer(const MixtureProblem& problem, std::size_t members,
                         const Symmetric3& typical);

}  // namespace skde
