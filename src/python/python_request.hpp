#pragma once

#include <pybind11/pybind11.h>

#include "estimate/fields/density_fields.hpp"

namespace skde::python {

namespace py = pybind11;

/// The options that keywords name: fields of the table, by their names with underscores. Throws
/// TypeError for an unknown keyword and Error(usage) that names the keyword for a wrong value.
DensityOptions options_from(const py::dict& keywords);
/// A dict a field of the table: name, help, default, words, value, group, targets.
py::list field_rows();

}  // namespace skde::python
