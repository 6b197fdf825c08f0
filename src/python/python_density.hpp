#pragma once

#include <memory>

#include "estimate/density.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/request.hpp"
#include "python/python_values.hpp"

namespace skde::python {

/// A density as Python holds it. Arrays of its values share it.
struct PyDensity {
  std::shared_ptr<Density> density;
  /// The samples and the request that it was made from; null for a volume file.
  std::shared_ptr<const SampleCloud> cloud{};
  DensityRequest request{};
};

/// Returns the values in host memory. Any thread may make the first call, which copies them from a
/// device.
const Volume& volume_of(const PyDensity& density);

/// Takes the keys lower, spacing and dims.
Grid grid_from(const py::dict& grid);

void add_density(py::module_& module);

}  // namespace skde::python
