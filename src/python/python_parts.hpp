#pragma once

#include "python/python_values.hpp"

namespace skde::python {

/// Densities of samples in many chunks: the moments of a chunk, its integer sums, and the density
/// of all sums. Each function depends on its arguments alone, as skde/_dask.py requires.
void add_parts(py::module_& module);

}  // namespace skde::python
