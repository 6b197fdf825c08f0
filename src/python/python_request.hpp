#pragma once

#include <pybind11/pybind11.h>

#include "estimate/fields/density_fields.hpp"
#include "python/python_values.hpp"

namespace skde::python {

namespace py = pybind11;

/// Returns the options that keywords name. Keywords are names of fields of the table, with
/// underscores, that apply to `target`, or to any. target::kCloud has the fields that open samples,
/// the other targets those of a request. Sums at points are in double unless they are asked to be
/// in float. Throws TypeError for other keywords, and Error(usage) that
/// names the keyword for a wrong value.
DensityOptions options_from(const py::dict& keywords, unsigned target = target::kAll);
/// Returns a dict per field of the table: name, help, default, words, value, group, and its uses
/// among cloud, grid, points, means and search.
py::list field_rows();

void add_mixture(py::module_& module);

/// Adds organise(), rows of an array on a grid whose neighbours are alike, sort() and sort_file().
void add_order(pybind11::module_& module);

/// Densities of samples in many chunks: the moments of a chunk, its integer sums, and the density
/// of all sums. Each function depends on its arguments alone, as skde/_dask.py requires.
void add_parts(py::module_& module);

void add_session(py::module_& module);

}  // namespace skde::python
