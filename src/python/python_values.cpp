#include "python/python_values.hpp"

#include <fmt/core.h>

#include <cmath>

#include "core/report/error.hpp"
#include "python/python_call.hpp"

namespace skde::python {
namespace {

using Json = nlohmann::ordered_json;

std::string shape_text(const py::array& array) {
  return py::str(array.attr("shape")).cast<std::string>();
}

void require_shape(const py::array& array, py::ssize_t rows, py::ssize_t columns,
                   const char* parameter) {
  const bool flat = columns == 1;
  const bool fits = array.ndim() == (flat ? 1 : 2) && (rows < 0 || array.shape(0) == rows) &&
                    (flat || array.shape(1) == columns);
  if (fits) return;
  const std::string count = rows < 0 ? "N" : fmt::format("{}", rows);
  throw Error(ErrorKind::usage,
              fmt::format("{} must have the shape ({}{}), not {}", parameter, count,
                          flat ? "," : fmt::format(", {}", columns), shape_text(array)),
              {parameter, {}});
}

std::span<const double> numbers_of(const Doubles& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// Returns an owner that releases the arrays under the GIL.
std::shared_ptr<const void> owner_of(py::list arrays) {
  return {arrays.release().ptr(), [](PyObject* list) {
            if (!Py_IsInitialized()) return;
            const py::gil_scoped_acquire acquired;
            Py_DECREF(list);
          }};
}

}  // namespace

OwnedSamples samples_from(const Doubles& xyz, const py::object& weights, const py::object& factors,
                          const py::object& shapes) {
  require_shape(xyz, -1, 3, "samples");
  py::list kept;
  kept.append(xyz);
  const auto column = [&](const py::object& given, py::ssize_t columns, const char* parameter) {
    if (given.is_none()) return std::span<const double>();
    const Doubles array = Doubles::ensure(given);
    if (!array) throw py::error_already_set();
    require_shape(array, xyz.shape(0), columns, parameter);
    kept.append(array);
    return numbers_of(array);
  };
  OwnedSamples samples;
  samples.view = {numbers_of(xyz), column(weights, 1, "weights"), column(factors, 1, "widths"),
                  column(shapes, 6, "widths")};
  samples.owner = owner_of(std::move(kept));
  return samples;
}

TargetPoints points_from(const Doubles& xyz) {
  require_shape(xyz, -1, 3, "points");
  const std::span<const double> numbers = numbers_of(xyz);
  return TargetPoints(std::vector<double>(numbers.begin(), numbers.end()));
}

py::array array_of(std::vector<double> values, std::vector<py::ssize_t> shape) {
  auto* const kept = new std::vector<double>(std::move(values));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<double>*>(p); });
  return py::array_t<double>(std::move(shape), kept->data(), owner);
}

py::array array_of(const Symmetric3& m) {
  return array_of({m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz}, {3, 3});
}

Json json_from(const py::handle& value, int deepest) {
  if (deepest == 0) throw Error(ErrorKind::usage, "lists must not be nested so deeply");
  if (value.is_none()) return nullptr;
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::str>(value)) {
    PyObject* const bytes = PyUnicode_AsEncodedString(value.ptr(), "utf-8", "surrogateescape");
    if (!bytes) throw py::error_already_set();
    return std::string(py::reinterpret_steal<py::bytes>(bytes));
  }
  if (py::isinstance<py::int_>(value)) {
    int overflow = 0;
    const std::int64_t number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow != 0) throw Error(ErrorKind::usage, "an integer must fit into 64 bits");
    return number;
  }
  if (py::isinstance<py::float_>(value)) {
    const auto number = value.cast<double>();
    if (!std::isfinite(number)) throw Error(ErrorKind::usage, "a number must be finite");
    return number;
  }
  if (!py::isinstance<py::type>(value) &&
      (py::hasattr(value, "tolist") || py::hasattr(value, "__array__"))) {  // of NumPy and others
    const py::object array =
        py::hasattr(value, "tolist")
            ? py::reinterpret_borrow<py::object>(value)
            : py::module_::import("numpy").attr("asarray")(value).cast<py::object>();
    const py::object plain = array.attr("tolist")();
    if (!py::isinstance(plain, py::type::of(value))) return json_from(plain, deepest - 1);
  }
  if (py::isinstance<py::dict>(value)) {
    Json object = Json::object();
    for (const auto& [key, entry] : py::reinterpret_borrow<py::dict>(value))
      object[py::str(key).cast<std::string>()] = json_from(entry, deepest - 1);
    return object;
  }
  if (py::isinstance<py::sequence>(value) && !py::isinstance<py::bytes>(value)) {
    Json list = Json::array();
    for (const py::handle& entry : py::iter(value)) list.push_back(json_from(entry, deepest - 1));
    return list;
  }
  throw py::type_error("a value of the type " +
                       py::str(py::type::handle_of(value).attr("__name__")).cast<std::string>() +
                       " cannot be taken");
}

py::object object_from(const Json& json) {
  if (json.is_boolean()) return py::bool_(json.get<bool>());
  if (json.is_number_integer()) return py::int_(json.get<std::int64_t>());
  if (json.is_number()) return py::float_(json.get<double>());
  if (json.is_string()) return python_text(json.get_ref<const std::string&>());
  if (json.is_array()) {
    py::list list;
    for (const Json& entry : json) list.append(object_from(entry));
    return list;
  }
  if (!json.is_object()) return py::none();
  py::dict dict;
  for (const auto& [key, entry] : json.items()) dict[py::str(key)] = object_from(entry);
  return dict;
}

}  // namespace skde::python
