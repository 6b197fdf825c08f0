#include "engines/cuda/cuda_shifts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/kernel/kernel_shape.hpp"
#include "engines/cuda/cuda_point_order.hpp"
#include "kernels/ranges/point_shifts.hpp"

namespace skde {
namespace {

using kernels::ShiftState;

constexpr double kLongestReach = 12;  // deviations

double first_reach(double error) {
  constexpr double kCrowd = 2500;  // what a crowd leaves out is bounded by this times the Gaussian
  return std::clamp(std::sqrt(2 * std::log(kCrowd / error)), 3.0, kLongestReach);
}

/// Returns a box about nearly all targets, from some of them. Far ones would make the lattice of
/// the others coarse.
Box box_about(std::span<const double> targets) {
  constexpr std::size_t kSome = 16384, kOutside = 1000, kWider = 2;
  const std::size_t count = targets.size() / 3, step = count / kSome + 1;
  Box box;
  for (int a = 0; a < 3; ++a) {
    std::vector<double> along;
    for (std::size_t i = 0; i < count; i += step)
      along.push_back(targets[3 * i + static_cast<std::size_t>(a)]);
    std::ranges::sort(along);
    const std::size_t skipped = along.size() / kOutside;
    const double low = along[skipped], high = along[along.size() - 1 - skipped];
    box.lower[a] = low - kWider * (high - low);
    box.upper[a] = high + kWider * (high - low);
  }
  return box;
}

/// Sources on a device, and one set of targets after another.
class CudaShifts {
 public:
  CudaShifts(const Symmetric3& H, const SamplesView& sources, int device)
      : H_(H),
        device_(std::make_shared<CudaDevice>(EngineOptions{.device = device})),
        sources_(device_),
        order_(device_) {
    sources_.upload(sources);
  }

  /// Computes shifts and states of all targets, from sources within `reach` deviations.
  void find(std::span<const double> targets, double reach, double error, std::span<double> shifts,
            std::span<ShiftState> states, Progress& progress) {
    device_->start();
    order_.set_targets(targets);
    constexpr Grid kWorld{{}, {1, 1, 1}, {1, 1, 1}};  // one cell is one world unit
    order_.sort_targets(make_ellipsoid((reach * reach) * H_, kWorld),
                        static_cast<double>(sources_.count()));
    const std::size_t count = targets.size() / 3;
    shifts_.reserve(3 * count);
    states_.reserve(count);
    beyond_.reserve(count);
    const kernels::ShiftSums work{order_.sort_samples(sources_, 4), reach, beyond_.data(),
                                  sources_.count()};
    progress.begin("shift", count, "points");
    launch_in_parts(
        work.ranges.blocks(), device_->stream(), progress, [&](auto first, auto blocks) {
          kernels::sum_shifts(work, first, blocks, device_->stream().get());
          return std::min(work.ranges.first_target(first + blocks), work.ranges.target_count);
        });
    kernels::find_shifts(work, error, order_.target_indices(), shifts_.data(), states_.data(),
                         device_->stream().get());
    device_->download(shifts_.data(), shifts.data(), shifts.size_bytes());
    device_->download(states_.data(), states.data(), states.size_bytes());
  }

 private:
  Symmetric3 H_;
  std::shared_ptr<CudaDevice> device_;
  CudaSamples sources_;
  CudaPointOrder order_;
  gpu::DeviceBuffer<double> shifts_;
  gpu::DeviceBuffer<ShiftState> states_;
  gpu::DeviceBuffer<float> beyond_;
};

}  // namespace

std::vector<std::size_t> cuda_mean_shifts(const Symmetric3& H, const SamplesView& sources,
                                          std::span<const double> targets, double error, int device,
                                          std::span<double> shifts, Progress& progress) {
  constexpr double kFarther = 1.25;
  CudaShifts cuda(H, sources, device);
  std::vector<std::size_t> waiting, unsure;
  const Box box = box_about(targets);
  for (std::size_t i = 0; i < targets.size() / 3; ++i)
    (box.holds({targets[3 * i], targets[3 * i + 1], targets[3 * i + 2]}) ? waiting : unsure)
        .push_back(i);
  std::vector<double> places, found;
  std::vector<ShiftState> states;
  double reach = first_reach(error);
  for (bool all = unsure.empty(); !waiting.empty(); all = false, reach *= kFarther) {
    if (reach > kLongestReach) {
      unsure.insert(unsure.end(), waiting.begin(), waiting.end());
      break;
    }
    if (!all) {
      places.clear();
      for (const std::size_t i : waiting)
        places.insert(places.end(), &targets[3 * i], &targets[3 * i] + 3);
    }
    found.resize(3 * waiting.size());
    states.resize(waiting.size());
    cuda.find(all ? targets : places, reach, error, all ? shifts : found, states, progress);
    std::vector<std::size_t> again;
    for (std::size_t n = 0; n < waiting.size(); ++n) {
      const std::size_t i = waiting[n];
      if (!all) std::copy_n(&found[3 * n], 3, &shifts[3 * i]);
      if (states[n] == ShiftState::farther) again.push_back(i);
      if (states[n] == ShiftState::unsure) unsure.push_back(i);
    }
    waiting = std::move(again);
  }
  return unsure;
}

}  // namespace skde
