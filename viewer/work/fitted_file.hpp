#pragma once

#include <string>

#include "mixture/mixture_fit.hpp"

namespace skde::view {

/// Writes a fitted mixture, with what the fit reached, as .ply, .npy or .csv. Splats have the
/// colours and opacities of the density at their centres. Throws what io::write_mixture() throws.
void save_fitted(const std::string& path, const MixtureFit& fit);

}  // namespace skde::view
