#include "estimate/density_setup.hpp"

#include "core/error.hpp"
#include "engines/engine_choice.hpp"

namespace skde {
namespace {

/// True where some kernel may reach a cell centre: the cloud's box widened by the kernel meets the
/// grid.
bool may_overlap(const Box& cloud, Vec3 support, const Box& grid) {
  for (int axis = 0; axis < 3; ++axis)
    if (cloud.upper[axis] + support[axis] <= grid.lower[axis] ||
        cloud.lower[axis] - support[axis] >= grid.upper[axis])
      return false;
  return true;
}

}  // namespace

void require_overlap(const Box& cloud, Vec3 support, const Grid& grid) {
  if (!may_overlap(cloud, support, grid.bounds()))
    throw Error(ErrorKind::input, "all samples are outside the box, and so are their kernels",
                {"bounds", "check `bounds` against those of the samples"});
}

DensitySetup set_up_density(const DensityRequest& request, const Moments& moments) {
  if (moments.count() == 0)
    throw Error(ErrorKind::input, "no samples: every row was empty, dropped or of weight 0");
  DensitySetup setup;
  setup.bandwidth = select_bandwidth(moments, request.bandwidth, request.kernel);
  setup.kernel = {request.kernel, setup.bandwidth.H};
  const Vec3 support = setup.kernel.half_extents();
  const Box cloud = moments.bounds();
  setup.grid = request.like ? *request.like : make_grid(request.grid, cloud, support);
  require_overlap(cloud, support, setup.grid);
  return setup;
}

bool is_automatic(const DensityRequest& request) {
  return request.engine.empty() || request.engine == "auto";
}

std::string engine_for(const DensityRequest& request, const DensitySetup& setup,
                       std::int64_t samples, bool weighted) {
  if (!is_automatic(request)) return request.engine;
  const Ellipsoid<double> ellipsoid = make_ellipsoid(setup.kernel.H, setup.grid);
  return std::string(choose_engine({samples, weighted, request.kernel, ellipsoid, setup.grid},
                                   request.options, request.device));
}

double normalization_factor(Normalization normalization, double mass, double total_weight) {
  if (!(mass > 0))
    throw Error(
        ErrorKind::input, "no kernel covers a cell centre of the grid: the density is 0 everywhere",
        {"dims", "use smaller cells (`dims`, `spacing`), a larger `bandwidth`, or other `bounds`"});
  switch (normalization) {
    case Normalization::box:
      return 1 / mass;
    case Normalization::count:
      return total_weight;
    case Normalization::density:
      break;
  }
  return 1;
}

}  // namespace skde
