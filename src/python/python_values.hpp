#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/problem.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"

namespace skde::python {

namespace py = pybind11;

/// Doubles in C order, as the library uses them; other arrays are converted.
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// Samples in arrays that `owner` keeps alive.
struct OwnedSamples {
  SamplesView view;
  std::shared_ptr<const void> owner;
};
/// Takes `xyz` (N, 3), and weights (N,), bandwidth factors (N,) or shapes (N, 6), each of which may
/// be None. Arrays of doubles in C order are not copied. Throws ValueError for another shape.
OwnedSamples samples_from(const Doubles& xyz, const py::object& weights, const py::object& factors,
                          const py::object& shapes);
/// Takes points (M, 3). Throws ValueError for another shape.
TargetPoints points_from(const Doubles& xyz);

/// Returns a new array that takes over the numbers.
py::array array_of(std::vector<double> values, std::vector<py::ssize_t> shape);
/// Returns an array (3, 3).
py::array array_of(const Symmetric3& matrix);

/// Converts None, booleans, numbers, texts, and lists, tuples, arrays and dicts of these. Lists may
/// be `deepest` deep.
nlohmann::ordered_json json_from(const py::handle& value, int deepest = 8);
/// Converts JSON to a Python object.
py::object object_from(const nlohmann::ordered_json& json);

}  // namespace skde::python
