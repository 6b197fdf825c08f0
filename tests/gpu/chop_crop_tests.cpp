#include "kernels/chop_crop.hpp"

#include <vector>

#include "core/kernel/kernel_shape.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/device_fixture.hpp"
#include "gpu/stream.hpp"
#include "support/cases/density_cases.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// The samples of a case on the device, located, chopped and cropped in double.
class ChoppedCase {
 public:
  explicit ChoppedCase(const DensityCase& density_case)
      : count_(static_cast<std::int64_t>(density_case.cloud.size())),
        grid_(density_case.grid),
        ellipsoid_(make_ellipsoid(density_case.H, grid_)),
        located_(density_case.cloud.size()),
        offsets_(density_case.cloud.size() + 1) {
    gpu::DeviceBuffer<double> xyz(density_case.cloud.xyz.size());
    xyz.upload(density_case.cloud.xyz, stream_);
    kernels::locate_samples<double>({.xyz = xyz.data(), .count = count_}, grid_, ellipsoid_, 1,
                                    located_.data(), stream_.get());
    gpu::DeviceBuffer<std::int32_t> counts(density_case.cloud.size() + 1);
    kernels::chop_samples<double>(located_.data(), count_, ellipsoid_, dims(), counts.data(),
                                  stream_.get());
    gpu::DeviceBuffer<unsigned char> scratch(kernels::scan_scratch_bytes(count_));
    kernels::scan_counts(counts.data(), offsets_.data(), count_, scratch.data(), scratch.size(),
                         stream_.get());
    stream_.wait();
  }

  const Ellipsoid<double>& ellipsoid() const { return ellipsoid_; }
  std::vector<std::int64_t> offsets() {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(count_) + 1);
    offsets_.download(offsets, stream_);
    return offsets;
  }
  std::vector<kernels::SliceTask> tasks(std::int64_t first, std::int64_t slices) {
    gpu::DeviceBuffer<kernels::SliceTask> tasks(static_cast<std::size_t>(slices));
    kernels::crop_slices<double>(located_.data(), offsets_.data(), count_, first, slices,
                                 ellipsoid_, dims(), tasks.data(), stream_.get());
    std::vector<kernels::SliceTask> result(static_cast<std::size_t>(slices));
    tasks.download(result, stream_);
    return result;
  }

 private:
  kernels::GridDims dims() const {
    return {static_cast<std::int32_t>(grid_.dims[0]), static_cast<std::int32_t>(grid_.dims[1]),
            static_cast<std::int32_t>(grid_.dims[2])};
  }

  gpu::Stream stream_;
  std::int64_t count_;
  Grid grid_;
  Ellipsoid<double> ellipsoid_;
  gpu::DeviceBuffer<kernels::LocatedSample<double>> located_;
  gpu::DeviceBuffer<std::int64_t> offsets_;
};

constexpr const char* kCases[] = {"isotropic",           "rotated needle 1",     "unequal sides",
                                  "larger than the box", "outside, reaching in", "one sample"};

}  // namespace

TEST_CASE("chop leaves each sample the slices that the host counts", "[chop]") {
  if (skipped()) return;
  for (const char* name : kCases) {
    INFO(name);
    const DensityCase density_case = named_case(name);
    ChoppedCase chopped(density_case);
    const std::vector<std::int64_t> offsets = chopped.offsets();
    CHECK(offsets[0] == 0);
    for (std::size_t i = 0; i < density_case.cloud.size(); ++i) {
      const CellCounts expected =
          count_cells(chopped.ellipsoid(), density_case.grid, density_case.cloud.view().point(i));
      const std::int64_t slices = offsets[i + 1] - offsets[i];
      // A sample that reaches no cell may be left out entirely.
      CHECK((slices == expected.slices || (slices == 0 && expected.inside == 0)));
    }
  }
}

TEST_CASE("crop leaves each slice the grid range that the host counts", "[crop]") {
  if (skipped()) return;
  for (const char* name : kCases) {
    INFO(name);
    const DensityCase density_case = named_case(name);
    ChoppedCase chopped(density_case);
    const std::vector<std::int64_t> offsets = chopped.offsets();
    const std::vector<kernels::SliceTask> tasks = chopped.tasks(0, offsets.back());
    for (std::size_t i = 0; i < density_case.cloud.size(); ++i) {
      std::int64_t cells = 0;
      for (std::int64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
        const kernels::SliceTask& task = tasks[static_cast<std::size_t>(k)];
        CHECK(task.sample == i);
        cells += std::int64_t{task.width} * task.height;
      }
      const CellCounts expected =
          count_cells(chopped.ellipsoid(), density_case.grid, density_case.cloud.view().point(i));
      if (offsets[i + 1] > offsets[i]) CHECK(cells == expected.evaluated);
    }
  }
}

TEST_CASE("a batch of slices is the same part of all slices", "[crop]") {
  if (skipped()) return;
  ChoppedCase chopped(named_case("rotated flat kernel 1"));
  const std::int64_t total = chopped.offsets().back();
  REQUIRE(total > 100);
  const std::vector<kernels::SliceTask> all = chopped.tasks(0, total);
  const std::vector<kernels::SliceTask> some = chopped.tasks(37, 50);
  for (std::size_t k = 0; k < some.size(); ++k) {
    const kernels::SliceTask &a = all[37 + k], &b = some[k];
    CHECK((a.sample == b.sample && a.z == b.z && a.x == b.x && a.y == b.y));
    CHECK((a.width == b.width && a.height == b.height));
  }
}
