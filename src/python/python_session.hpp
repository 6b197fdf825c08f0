#pragma once

#include "python/python_values.hpp"

namespace skde::python {

void add_session(py::module_& module);

}  // namespace skde::python
