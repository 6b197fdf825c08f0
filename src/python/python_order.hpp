#pragma once

#include <pybind11/pybind11.h>

namespace skde::python {

/// Adds organise(): rows of an array on a grid whose neighbours are alike.
void add_order(pybind11::module_& module);

}  // namespace skde::python
