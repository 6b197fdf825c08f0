#pragma once

#include <span>
#include <string>

#include "core/report/error.hpp"

namespace skde {

/// An error about a cloud as a whole, with the inputs named that it was read from. Errors of other
/// kinds, those that name an input already, and those without inputs stay as they are.
Error naming_inputs(const Error& error, std::span<const std::string> inputs);

}  // namespace skde
