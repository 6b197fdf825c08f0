#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/space/space.hpp"
#include "viewer/session/view_state.hpp"

namespace skde::view {

/// Returns the arguments with which `skde` computes the state's density and writes it to `output`.
/// `H` is the bandwidth matrix of the density that is shown; it replaces a covariance that was read
/// from a file, whose path is not known.
std::vector<std::string> density_arguments(const ViewState& state,
                                           const std::optional<Symmetric3>& H,
                                           const std::string& output = "density.vti");

}  // namespace skde::view
