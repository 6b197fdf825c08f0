#include "gpu/device_buffer.hpp"
#include "gpu/device_info.hpp"
#include "gpu/stream.hpp"
#include "kernels/order/grid_arrangement.hpp"
#include "order/arrangement_steps.hpp"

namespace skde {

void start_cuda() {
  gpu::select_device(0);
  gpu::check(cudaFree(nullptr), "start the GPU");
}

bool cuda_takes(const GridItems& grid) {
  constexpr std::size_t kArrays = 3, kSpare = std::size_t{64} << 20, kOther = 1024;
  const std::size_t bytes =
      kArrays * sizeof(float) * grid.values.size() + sizeof(std::uint32_t) * grid.item_at.size();
  return kernels::blur_bytes(grid.width) + kOther <= gpu::device_info(0).shared &&
         bytes + kSpare <= gpu::free_memory();
}

void arrange_on_cuda(GridItems& grid, const std::vector<ArrangementStep>& steps,
                     Progress& progress) {
  constexpr std::uint64_t kStepsAtOnce = 8;  // between looks at the progress
  const gpu::Stream stream;
  gpu::DeviceBuffer<float> values(grid.values.size()), sums(grid.values.size()),
      target(grid.values.size());
  gpu::DeviceBuffer<std::uint32_t> item_at(grid.item_at.size());
  values.upload(grid.values, stream);
  item_at.upload(grid.item_at, stream);
  const kernels::DeviceGrid on_device{grid.width,    grid.height, grid.items,    grid.columns,
                                      values.data(), sums.data(), target.data(), item_at.data()};
  progress.begin("arranging", steps.size(), "radii");
  std::uint64_t done = 0;
  for (const ArrangementStep& step : steps) {
    progress.throw_if_cancelled();
    kernels::blur_grid(on_device, step.radius_x, step.radius_y, stream.get());
    for (const GroupPass& pass : step.passes) kernels::assign_groups(on_device, pass, stream.get());
    if (++done % kStepsAtOnce != 0) continue;
    stream.wait();
    progress.update(done);
  }
  item_at.download(grid.item_at, stream);
  progress.update(done);
}

}  // namespace skde
