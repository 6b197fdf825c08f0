#pragma once

#include <pybind11/pybind11.h>

#include "python/python_values.hpp"

namespace skde::python {

void add_mixture(py::module_& module);

/// Adds organise(), rows of an array on a grid whose neighbours are alike, sort() and sort_file().
void add_order(pybind11::module_& module);

/// Densities of samples in many chunks: the moments of a chunk, its integer sums, and the density
/// of all sums. Each function depends on its arguments alone, as skde/_dask.py requires.
void add_parts(py::module_& module);

void add_session(py::module_& module);

}  // namespace skde::python
