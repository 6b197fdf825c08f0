#pragma once

#include <memory>

#include "engines/engine_options.hpp"
#include "engines/mixture_engine.hpp"
#include "engines/offer.hpp"

namespace skde {

/// Makes the engine on the cores of this process. It sums by the engines `tile` and `ranges`.
std::unique_ptr<MixtureEngine> make_cpu_mixture(const MixtureProblem& problem,
                                                const EngineOptions& options);
Offer cpu_mixture_offer(const MixtureProblem& problem, std::size_t members,
                        const Symmetric3& typical);

}  // namespace skde
