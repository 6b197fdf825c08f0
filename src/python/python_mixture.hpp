#pragma once

#include "python/python_values.hpp"

namespace skde::python {

void add_mixture(py::module_& module);

}  // namespace skde::python
