#pragma once

#include <pybind11/pybind11.h>

#include "estimate/fields/density_fields.hpp"

namespace skde::python {

namespace py = pybind11;

/// The options that keywords name: fields of the table, by their names with underscores, that apply
/// to a target, or to any; of target::cloud those that open samples, of the others those of a
/// request. Throws TypeError for another keyword and Error(usage) that names the keyword for a
/// wrong value.
DensityOptions options_from(const py::dict& keywords, unsigned target = target::all);
/// A dict a field of the table: name, help, default, words, value, group, and the uses that it has:
/// cloud, grid, points, means and search.
py::list field_rows();

}  // namespace skde::python
