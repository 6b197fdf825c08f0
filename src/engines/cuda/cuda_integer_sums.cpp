#include "engines/cuda/cuda_integer_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engines/cpu/shared_progress.hpp"
#include "engines/cuda/cuda_device.hpp"
#include "engines/cuda/cuda_samples.hpp"
#include "engines/engine.hpp"
#include "engines/group/member_threads.hpp"
#include "gpu/device_buffer.hpp"
#include "kernels/integer_chop_crop.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

/// Samples of a batch, which is uploaded while the batch before it is summed.
constexpr std::size_t kBatch = std::size_t{1} << 22;
constexpr std::size_t kBatches = 2;
constexpr double kBatchBytes =
    kBatches * kBatch * (4 * sizeof(double) + sizeof(kernels::IntegerSample));

std::int64_t cells_of(const PartialProblem& problem, std::int64_t slices) {
  return problem.grid.dims[0] * problem.grid.dims[1] * slices;
}

/// Every device sends its sums to host memory, where they are added up.
Offer offer_cuda_integers(const PartialProblem& problem, std::int64_t slices, double /*samples*/,
                          const EngineOptions& options) {
  const double bytes = sizeof(std::int64_t) * static_cast<double>(cells_of(problem, slices));
  Offer offer;
  offer.host.fixed = bytes * static_cast<double>(options.devices.size());
  offer.device.fixed = bytes + kBatchBytes;
  offer.repeats = true;
  return offer;
}

std::unique_ptr<IntegerSums> make_cuda_integers(const PartialProblem& problem, SliceRange slices,
                                                const EngineOptions& options) {
  return std::make_unique<CudaIntegerSums>(problem, options.devices, slices);
}

}  // namespace

const IntegerAccumulator kCudaIntegerSums{offer_cuda_integers, make_cuda_integers};

/// A mark in a stream's work, up to which one can wait.
class StreamMark {
 public:
  StreamMark() {
    gpu::check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "create an event");
  }
  ~StreamMark() { cudaEventDestroy(event_); }
  StreamMark(const StreamMark&) = delete;
  StreamMark& operator=(const StreamMark&) = delete;

  void set(const gpu::Stream& stream) {
    gpu::check(cudaEventRecord(event_, stream.get()), "mark the work of the GPU");
  }
  void wait() { gpu::check(cudaEventSynchronize(event_), "wait for the GPU"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// The share of one device.
class CudaIntegerSums::Member {
 public:
  Member(const PartialProblem& problem, int device, SliceRange slices)
      : device_(std::make_shared<CudaDevice>(EngineOptions{.device = device})), slices_(slices) {
    device_->start();
    sums_ =
        gpu::DeviceBuffer<std::int64_t>(static_cast<std::size_t>(cells_of(problem, slices.count)));
    sums_.clear(device_->stream());
    for (auto& batch : batches_) batch = std::make_unique<Batch>(device_);
  }

  /// Adds every `members`th batch of the points, from batch `first` on.
  void change(const PartialProblem& problem, const SamplesView& points, std::int64_t sign,
              std::size_t first, std::size_t members, SharedProgress& progress) {
    device_->start();
    const Ellipsoid<double> ellipsoid = problem.kernel.ellipsoid(problem.grid);
    std::array<std::size_t, kBatches> on_their_way{};
    std::size_t turn = 0;
    for (std::size_t begin = first * kBatch; begin < points.size();
         begin += members * kBatch, turn = (turn + 1) % kBatches) {
      Batch& batch = *batches_[turn];
      batch.done.wait();
      if (!progress.advance(std::exchange(on_their_way[turn], 0))) return;
      const std::size_t count = std::min(kBatch, points.size() - begin);
      launch(batch, problem, ellipsoid, points.slice(begin, count), sign);
      on_their_way[turn] = count;
    }
    device_->stream().wait();
    for (const std::size_t count : on_their_way) progress.advance(count);
  }

  void download(std::vector<std::int64_t>& to) {
    device_->start();
    to = zeros_in_huge_pages<std::int64_t>(sums_.size());
    device_->download(sums_.data(), to.data(), sums_.bytes());
  }

 private:
  struct Batch {
    explicit Batch(std::shared_ptr<CudaDevice> device) : samples(std::move(device)) {}
    CudaSamples samples;
    gpu::DeviceBuffer<kernels::IntegerSample> placed;
    StreamMark done;
  };

  void launch(Batch& batch, const PartialProblem& problem, const Ellipsoid<double>& ellipsoid,
              const SamplesView& points, std::int64_t sign) {
    const cudaStream_t stream = device_->stream().get();
    batch.samples.upload(points);
    batch.placed.reserve(points.size());
    kernels::place_integer_samples(batch.samples.view(), problem.grid, ellipsoid,
                                   std::ldexp(1.0, problem.binary_digits), batch.placed.data(),
                                   stream);
    kernels::add_integer_samples(batch.placed.data(), batch.samples.count(), problem.grid,
                                 problem.kernel, ellipsoid, slices_, sign, sums_.data(),
                                 device_->info().multiprocessors, stream);
    batch.done.set(device_->stream());
  }

  std::shared_ptr<CudaDevice> device_;
  SliceRange slices_;
  gpu::DeviceBuffer<std::int64_t> sums_;
  std::array<std::unique_ptr<Batch>, kBatches> batches_;
};

CudaIntegerSums::CudaIntegerSums(const PartialProblem& problem, const std::vector<int>& devices,
                                 SliceRange slices)
    : problem_(problem) {
  static_cast<void>(problem.kernel.ellipsoid(problem.grid));  // throws before a device is started
  members_.resize(devices.size());
  by_member_threads(devices.size(), [&](std::size_t i) {
    members_[i] = std::make_unique<Member>(problem, devices[i], slices);
  });
}

CudaIntegerSums::~CudaIntegerSums() = default;

void CudaIntegerSums::use_matrix(const Symmetric3& H) { problem_.kernel.H = H; }

void CudaIntegerSums::change(const SamplesView& points, std::int64_t sign, Progress& progress) {
  if (points.size() == 0) return;
  is_fetched_ = false;
  SharedProgress shared(progress, kAccumulateStage, points.size(), "samples");
  by_member_threads(members_.size(), [&](std::size_t i) {
    members_[i]->change(problem_, points, sign, i, members_.size(), shared);
  });
  shared.finish();
}

void CudaIntegerSums::fetch() const {
  if (is_fetched_) return;
  std::vector<std::vector<std::int64_t>> shares(members_.size());
  by_member_threads(members_.size(), [&](std::size_t i) { members_[i]->download(shares[i]); });
  fetched_ = std::move(shares.front());
  for (std::size_t i = 1; i < shares.size(); ++i)
    std::ranges::transform(fetched_, shares[i], fetched_.begin(), std::plus<>());
  is_fetched_ = true;
}

const std::vector<std::int64_t>& CudaIntegerSums::sums() const {
  fetch();
  return fetched_;
}

std::vector<std::int64_t> CudaIntegerSums::take_sums() {
  fetch();
  return std::move(fetched_);
}

}  // namespace skde
