#pragma once

#include "python/python_values.hpp"

namespace skde::python {

/// Densities of samples that lie in many chunks: their moments, the sums of a chunk in integers,
/// and the density of all sums. Each is a function of its arguments alone, for skde/_dask.py.
void add_parts(py::module_& module);

}  // namespace skde::python
