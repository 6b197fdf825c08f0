#include "engines/cuda/cuda_values.hpp"

#include <utility>
#include <vector>

#include "system/host_memory.hpp"

namespace skde {

template <class Real>
CudaValues<Real>::CudaValues(const Grid& grid, std::shared_ptr<CudaDevice> device)
    : target_(grid), device_(std::move(device)), values_(static_cast<std::size_t>(grid.cells())) {}

template <class Real>
const Real* CudaValues<Real>::ready_values() {
  if (std::exchange(cleared_, false)) values_.clear(device_->stream());
  return values_.data();
}

template <class Real>
Real* CudaValues<Real>::accumulated_values() {
  ready_values();
  return overwritten_values();
}

template <class Real>
Real* CudaValues<Real>::overwritten_values() {
  cleared_ = false;
  known_.reset();
  return values_.data();
}

template <class Real>
ValueTotals CudaValues<Real>::totals() {
  const kernels::Totals all = all_totals();
  return {all.sum, all.maximum};
}

template <class Real>
kernels::Totals CudaValues<Real>::all_totals() {
  if (known_) return *known_;
  device_->start();
  const gpu::Stream& stream = device_->stream();
  const Real* const values = ready_values();
  if (done_.size() == 0) {
    totals_.reserve(kernels::kTotalBlocks + 1);
    done_.reserve(1);
    done_.clear(stream);
  }
  kernels::total_values(values, cells(), totals_.data(), done_.data(), stream.get());
  kernels::Totals all{};
  totals_.download({&all, 1}, stream, kernels::kTotalBlocks);
  known_ = all;
  return all;
}

template <class Real>
void CudaValues<Real>::scale(double factor) {
  device_->start();
  kernels::scale_values(accumulated_values(), cells(), factor, device_->stream().get());
  device_->stream().wait();
}

template <class Real>
Volume CudaValues<Real>::take_volume() {
  device_->start();
  const Real* const from = ready_values();  // these are 0 if nothing was added
  std::vector<Real> values = zeros_in_huge_pages<Real>(values_.size());
  device_->download(from, values.data(), values_.bytes());
  return Volume(grid(), std::move(values));
}

template <class Real>
void CudaValues<Real>::put_slices(Volume& whole, std::int64_t first) {
  device_->start();
  const Real* const from = ready_values();
  const auto begin = static_cast<std::size_t>(first * grid().dims[0] * grid().dims[1]);
  device_->download(from, whole.values<Real>().subspan(begin, values_.size()).data(),
                    values_.bytes());
}

template <class Real>
std::optional<DeviceValues> CudaValues<Real>::on_device() {
  device_->start();
  const bool was_cleared = cleared_;
  const Real* const values = ready_values();
  if (was_cleared) device_->stream().wait();  // until they are 0
  const kernels::Totals all = all_totals();
  DeviceValues here{values, device_->index()};
  if (all.maximum > 0) {
    here.least = all.least_positive;
    here.greatest = all.maximum;
  }
  return here;
}

template <class Real>
std::vector<double> CudaValues<Real>::take_point_values() {
  static_cast<void>(std::get<TargetPoints>(target_));
  return {};
}

template class CudaValues<float>;
template class CudaValues<double>;

}  // namespace skde
