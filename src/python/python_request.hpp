#pragma once

#include <pybind11/pybind11.h>

#include "estimate/fields/density_fields.hpp"

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

}  // namespace skde::python
