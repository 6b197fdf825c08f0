#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "core/report/progress.hpp"
#include "core/space/space.hpp"
#include "engines/cuda/cuda_cell_sort.hpp"
#include "engines/cuda/cuda_device.hpp"
#include "engines/cuda/cuda_samples.hpp"
#include "gpu/device_buffer.hpp"
#include "kernels/ranges/point_ranges.hpp"

namespace skde {

/// Calls launch(first, blocks) for one part of the blocks after the other, so that the sums can be
/// cancelled. It returns how many targets are done after this part.
template <class Launch>
void launch_in_parts(std::int64_t blocks, const gpu::Stream& stream, Progress& progress,
                     const Launch& launch) {
  constexpr std::int64_t kTogether = 8192;
  for (std::int64_t first = 0; first < blocks; first += kTogether) {
    const std::int64_t size = std::min(kTogether, blocks - first);
    const auto done = static_cast<std::uint64_t>(launch(first, size));
    if (first + size < blocks) stream.wait();
    progress.update(done);
    progress.throw_if_cancelled();
  }
}

/// Targets sorted along a curve, and samples sorted by the cells of a lattice, on a device. Memory
/// is reused from one set of targets to the next.
class CudaPointOrder {
 public:
  explicit CudaPointOrder(std::shared_ptr<CudaDevice> device) : device_(std::move(device)) {}

  /// Copies targets (3 doubles each) to the device.
  void set_targets(std::span<const double> xyz);
  /// Sorts them, for kernels that are this ellipsoid in world units, and about so many samples.
  void sort_targets(const Ellipsoid<double>& ball, double samples);
  /// Sorts samples for the sorted targets. Returns what is to be summed, with room for so many sums
  /// of each target. It is valid until the next call.
  kernels::RangeSums sort_samples(const CudaSamples& samples, int sums = 1);
  /// The indices of the sorted targets, on the device.
  const std::uint32_t* target_indices() const { return target_order_.sorted_indices(); }

  static constexpr double kMostCells = 1 << 24;
  /// Returns a lattice whose cells suit the samples.
  static kernels::BallLattice lattice_of(const Ellipsoid<double>& ball, double samples,
                                         const Box& targets);

 private:
  struct Memory {
    gpu::DeviceBuffer<double> points, partial;
    gpu::DeviceBuffer<kernels::PointInWorld> targets, samples;
  };
  kernels::DevicePoints target_view() const;
  Box box_of_targets() const;

  std::shared_ptr<CudaDevice> device_;
  Memory memory_;
  CudaCellSort target_order_, sample_order_;
  std::int64_t count_ = 0;
  kernels::BallLattice lattice_{};
};

}  // namespace skde
