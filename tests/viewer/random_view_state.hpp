#pragma once

#include <random>

#include "viewer/scene/view_state.hpp"

namespace skde::test {

/// Returns a valid state in which hardly any field has its default.
view::ViewState random_view_state(std::mt19937& random);
view::TransferFunction random_transfer_function(std::mt19937& random);

}  // namespace skde::test
