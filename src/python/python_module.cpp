#include <pybind11/pybind11.h>

#include "core/version.hpp"
#include "python/device_arrays.hpp"
#include "python/python_call.hpp"
#include "python/python_density.hpp"
#include "python/python_request.hpp"

// The module skde._skde, on which skde/*.py stand: people use these.
PYBIND11_MODULE(_skde, module) {
  using namespace skde::python;
  module.attr("version") = std::string(skde::kVersion);
  module.def("set_error_types", set_error_types);
  module.def("fields", field_rows);
  module.def("copy_from_device", [](std::uintptr_t from, py::array to,
                                    std::optional<std::uintptr_t> stream) {
    copy_from_device(from, to.mutable_data(), static_cast<std::size_t>(to.nbytes()), stream);
  });
  add_density(module);
  add_mixture(module);
  add_order(module);
  add_parts(module);
  add_session(module);
}
