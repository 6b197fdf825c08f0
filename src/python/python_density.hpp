#pragma once

#include <memory>
#include <mutex>

#include "analysis/answers/region_mass.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density.hpp"
#include "estimate/values/request.hpp"
#include "python/python_values.hpp"

namespace skde::python {

/// The samples of a density, open for sums at points; one thread uses them at a time.
struct PointSums {
  std::mutex mutex;
  Session session;
};

/// A density as Python holds it. Arrays of its values share it.
struct PyDensity {
  std::shared_ptr<Density> density;
  /// The samples and the request that it was made from; null for a volume file.
  std::shared_ptr<const SampleCloud> cloud{};
  DensityRequest request{};
  std::shared_ptr<Density> errors{};  ///< the standard errors; null if not asked for
  /// What at() keeps from one call to the next.
  std::shared_ptr<PointSums> sums = std::make_shared<PointSums>();
};

/// Returns the values in host memory. Any thread may make the first call, which copies them from a
/// device.
const Volume& volume_of(const PyDensity& density);

/// Takes the keys lower, spacing and dims.
Grid grid_from(const py::dict& grid);

/// Draws from the density that a request makes of a cloud, (count, 3).
py::array draws_of(const std::shared_ptr<const SampleCloud>& cloud, const DensityRequest& request,
                   std::uint64_t count, std::uint64_t seed, py::object show);

/// Returns the request with the bandwidth and the box that the density has.
DensityRequest settled(const PyDensity& density);

/// Returns (mass, standard error, error) of the kernels in a region.
py::tuple kernel_mass_in(const std::shared_ptr<const SampleCloud>& cloud,
                         const DensityRequest& request, const Region& region, py::object show);

/// Adds where, how many and how much: peaks, clusters and masses.
void add_answers(py::class_<PyDensity>& density);
void add_density(py::module_& module);

}  // namespace skde::python
