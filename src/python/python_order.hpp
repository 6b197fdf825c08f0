#pragma once

#include <pybind11/pybind11.h>

namespace skde::python {

/// Adds sort() and sort_file() to `_skde`.
void add_order(pybind11::module_& module);

}  // namespace skde::python
