#pragma once

#include <span>
#include <string>

#include "core/report/error.hpp"

namespace skde {

/// Adds the inputs' names to an error about a cloud as a whole. Errors of other kinds, and those
/// that name an input already, stay as they are. So does any error if there are no inputs.
Error naming_inputs(const Error& error, std::span<const std::string> inputs);

}  // namespace skde
