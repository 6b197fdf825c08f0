#pragma once

#include "estimate/values/request.hpp"
#include "support/cases/random_choice.hpp"

namespace skde::test {

/// Return a random cloud and request that a file may hold, sensible or not.
CloudFiles random_files(Choice& choose);
DensityRequest random_request(Choice& choose);

}  // namespace skde::test
