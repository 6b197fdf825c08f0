#include "engines/cuda/cuda_mixture.hpp"

#include <algorithm>
#include <utility>

#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_samples.hpp"
#include "engines/mixture_samples.hpp"
#include "engines/point_bins.hpp"
#include "kernels/mixture/member_moments.hpp"

namespace skde {
namespace {

/// Points in device memory, sorted by bins.
struct DeviceBins {
  PointBins host;
  gpu::DeviceBuffer<double> places[3];
  gpu::DeviceBuffer<std::uint32_t> starts;

  DeviceBins(const MixtureProblem& problem, const gpu::Stream& stream)
      : host(std::get<TargetPoints>(problem.target), problem.frame) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      places[axis].reserve(host.along(axis).size());
      places[axis].upload(host.along(axis), stream);
    }
    const std::vector<std::uint32_t> first(host.starts().begin(), host.starts().end());
    starts.reserve(first.size());
    starts.upload(first, stream);
    stream.wait();
  }
};

template <class Real>
class CudaMixture final : public MixtureEngine {
 public:
  CudaMixture(const MixtureProblem& problem, const EngineOptions& options)
      : problem_(problem),
        device_(std::make_shared<CudaDevice>(options)),
        kernel_(kernel_in_cells(problem)),
        cut_(summed_problem(problem).kernel.cut()),
        engine_(is_grid() ? make_cuda_tile(options) : nullptr),
        samples_(device_) {
    device_->start();
    const auto count = static_cast<std::size_t>(target_size(problem_.target));
    if (!is_grid()) {
      bins_ = std::make_unique<DeviceBins>(problem_, stream());
      point_values_.reserve(count);
    }
    cotangents_.reserve(count);
    losses_.reserve(kernels::kLossBlocks);
    work_.reserve(2);
  }

  void set_members(std::span<const Member> members) override {
    device_->start();
    count_ = members.size();
    members_.reserve(count_);
    members_.upload(members, stream());
    stream().wait();
    frames_.reserve(count_);
    first_unit_.reserve(count_ + 1);
    const std::size_t units = kernels::most_moment_units(count_);
    member_of_.reserve(units);
    parts_.reserve(units);
    moments_.reserve(count_);
  }
  std::vector<Member> members() override { return downloaded<Member>(members_); }

  void sum(Progress& progress) override {
    device_->start();
    progress.throw_if_cancelled();
    if (is_grid()) return sum_at_cells(progress);
    kernels::frame_members(source(), arrays(), count_, kernel_, cut_, stream().get());
    kernels::sum_at_points(source(), frames_.data(), count_, bins_->host.order().size(), cut_,
                           point_values_.data(), stream().get());
  }

  std::vector<double> values() override {
    if (!is_grid())
      return in_given_order(downloaded<Real>(point_values_, bins_->host.order().size()));
    const auto count = static_cast<std::size_t>(problem_.frame.cells());
    std::vector<Real> from(count);
    device_->download(value_data(), from.data(), count * sizeof(Real));
    return {from.begin(), from.end()};
  }

  void set_given(std::span<const double> given) override { upload_in_order(given, given_); }

  void derive(CotangentRule rule) override {
    kernels::derive_cotangents(rule, value_data(), given_.data(),
                               static_cast<std::size_t>(target_size(problem_.target)),
                               cotangents_.data(), losses_.data(), stream().get());
  }
  double loss() override {
    double sum = 0;
    for (const double part : downloaded<double>(losses_, kernels::kLossBlocks)) sum += part;
    return sum;
  }
  void set_cotangents(std::span<const double> cotangents) override {
    upload_in_order(cotangents, cotangents_);
  }

  void gather(Progress& progress) override {
    progress.throw_if_cancelled();
    device_->start();
    const auto gather = [&](void* scratch, std::size_t& bytes) {
      kernels::gather_moments(source(), arrays(), count_, kernel_, cut_,
                              device_->info().multiprocessors, scratch, bytes, stream().get());
    };
    std::size_t bytes = 0;
    gather(nullptr, bytes);
    scratch_.reserve(std::max<std::size_t>(bytes, 1));
    bytes = scratch_.size();
    gather(scratch_.data(), bytes);
  }
  std::vector<MemberMoments> moments() override { return downloaded<MemberMoments>(moments_); }

  void update(const MixtureUpdate& update) override {
    kernels::update_members(members_.data(), moments_.data(), count_, kernel_, update.maximises,
                            update.adam, update.total_weight, stream().get());
  }

 private:
  bool is_grid() const { return std::holds_alternative<Grid>(problem_.target); }
  const gpu::Stream& stream() const { return device_->stream(); }
  const Real* value_data() const {
    if (!is_grid()) return point_values_.data();
    return static_cast<const Real*>(buffer_->on_device()->data);
  }

  template <class T>
  std::vector<T> downloaded(const gpu::DeviceBuffer<T>& from) {
    return downloaded(from, count_);
  }
  template <class T>
  std::vector<T> downloaded(const gpu::DeviceBuffer<T>& from, std::size_t count) {
    device_->start();
    std::vector<T> to(count);
    from.download(to, stream());
    return to;
  }

  /// Uploads numbers of cells, or of points in the order of the bins.
  void upload_in_order(std::span<const double> from, gpu::DeviceBuffer<Real>& to) {
    device_->start();
    std::vector<Real> sorted(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      sorted[i] = static_cast<Real>(from[bins_ ? bins_->host.order()[i] : i]);
    to.reserve(sorted.size());
    to.upload(sorted, stream());
    stream().wait();
  }
  std::vector<double> in_given_order(const std::vector<Real>& sorted) const {
    std::vector<double> to(sorted.size());
    for (std::size_t i = 0; i < sorted.size(); ++i)
      to[bins_->host.order()[i]] = static_cast<double>(sorted[i]);
    return to;
  }

  /// Sums by the engine, from samples that device code writes.
  void sum_at_cells(Progress& progress) {
    samples_.reserve_shaped(static_cast<std::int64_t>(count_));
    const Vec3 first = problem_.frame.first_centre(), spacing = problem_.frame.spacing;
    kernels::write_member_samples(members_.data(), count_, kernel_,
                                  {samples_.xyz(),
                                   samples_.weights(),
                                   samples_.shapes(),
                                   {first.x, first.y, first.z},
                                   {spacing.x, spacing.y, spacing.z}},
                                  stream().get());
    stream().wait();  // the engine works on a stream of its own
    const std::unique_ptr<Run> run = engine_->begin(summed_problem(problem_), {std::move(buffer_)});
    SilentProgress silent(progress);
    run->add(samples_, silent);
    run->finish(silent);
    buffer_ = run->take_values();
  }

  kernels::MomentArrays<Real> arrays() {
    return {members_.data(), frames_.data(),  first_unit_.data(), member_of_.data(),
            parts_.data(),   moments_.data(), work_.data()};
  }

  kernels::MomentSource<Real> source() const {
    kernels::MomentSource<Real> from;
    from.cotangents = cotangents_.data();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      from.boxes.dims[axis] =
          static_cast<std::int32_t>(bins_ ? bins_->host.bins()[axis] : problem_.frame.dims[axis]);
      from.boxes.lowest[axis] = bins_ ? bins_->host.lowest()[axis] : -0.5;
      from.boxes.edge[axis] = bins_ ? bins_->host.edge()[axis] : 1;
    }
    if (!bins_) return from;
    from.x = bins_->places[0].data();
    from.y = bins_->places[1].data();
    from.z = bins_->places[2].data();
    from.starts = bins_->starts.data();
    return from;
  }

  MixtureProblem problem_;
  std::shared_ptr<CudaDevice> device_;
  Symmetric3 kernel_;  ///< in squared cells
  double cut_;
  std::unique_ptr<Engine> engine_;  ///< of sums on a grid; null for points
  std::unique_ptr<ValueBuffer> buffer_;
  std::unique_ptr<DeviceBins> bins_;  ///< of points; null on a grid
  CudaSamples samples_;
  std::size_t count_ = 0;
  gpu::DeviceBuffer<Member> members_;
  gpu::DeviceBuffer<Real> cotangents_, given_, point_values_;  ///< in the order of the bins
  gpu::DeviceBuffer<double> losses_;
  gpu::DeviceBuffer<kernels::MemberFrame<Real>> frames_;
  gpu::DeviceBuffer<std::uint32_t> first_unit_, member_of_;
  gpu::DeviceBuffer<MemberMoments> parts_, moments_;
  gpu::DeviceBuffer<unsigned long long> work_;
  gpu::DeviceBuffer<unsigned char> scratch_;
};

}  // namespace

std::unique_ptr<MixtureEngine> make_cuda_mixture(const MixtureProblem& problem,
                                                 const EngineOptions& options) {
  if (problem.precision == Precision::f64)
    return std::make_unique<CudaMixture<double>>(problem, options);
  return std::make_unique<CudaMixture<float>>(problem, options);
}

Offer cuda_mixture_offer(const MixtureProblem& problem, std::size_t members,
                         const Symmetric3& typical) {
  constexpr double kPair = 3e-12, kStep = 1e-4;  // on an H200
  const Problem summed = summed_problem(problem);
  const CloudFacts cloud{static_cast<std::int64_t>(members), true, true};
  Offer offer;
  if (summed.has_grid())
    offer = make_cuda_tile({})->offer(summed, cloud);
  else
    offer.device.value = 4 * sizeof(double);  // places and values
  if (!offer.serves()) return offer;
  offer.seconds.run = kStep + kPair * mixture_pairs(problem, members, typical);
  offer.device.value += 2 * static_cast<double>(value_bytes(problem.precision));
  offer.device.sample += sizeof(Member) + sizeof(kernels::MemberFrame<double>) +
                         3 * sizeof(MemberMoments) + 3 * sizeof(std::uint32_t);
  return offer;
}

}  // namespace skde
