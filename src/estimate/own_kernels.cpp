#include "estimate/own_kernels.hpp"

#include "core/kernel/sample_shapes.hpp"
#include "estimate/read/piloted_cloud.hpp"

namespace skde {

std::vector<double> own_kernels(std::shared_ptr<const SampleCloud> cloud, const DensityPlan& plan,
                                Progress& progress) {
  if (cloud && plan.adaptive)
    cloud = adapted_cloud(cloud, pilot_spec(plan.request, plan.kernel, plan.grid),
                          plan.request.options.threads, progress);
  if (!cloud || !cloud->points.shaped()) return {};
  const SampleShapes shapes(plan.kernel, plan.grid, plan.min_width);
  std::vector<double> all;
  for (std::size_t i = 0; i < cloud->points.size(); ++i) {
    const Symmetric3 m = plan.kernel.function->variance * shapes.matrix_of(cloud->points, i);
    all.insert(all.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
  }
  return all;
}

}  // namespace skde
