#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "engines/cuda/cuda_cell_sort.hpp"
#include "engines/cuda/cuda_engine.hpp"
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_run.hpp"
#include "engines/cuda/cuda_traits.hpp"
#include "engines/spectral_plan.hpp"
#include "gpu/fft_library.hpp"
#include "gpu/stage_timer.hpp"
#include "kernels/spectral/node_field.hpp"
#include "kernels/spectral/node_spread.hpp"

namespace skde {
namespace {

constexpr SpectralCosts kDeviceCosts{.nodes_a_tap = 5e3,
                                     .nodes_a_sample_tap = 0.035,
                                     .above_8 = 1.5,
                                     .nodes_a_cell = 0.015,
                                     .most_order = 12,
                                     .wraps = true};

/// Memory that successive runs reuse: FieldMemory for one precision, SpectralMemory for all.
template <class Real>
struct FieldMemory {
  gpu::FieldTransform<Real> transform;
  gpu::DeviceBuffer<kernels::TilePoint<Real>> sorted;
  gpu::DeviceBuffer<Real> field, rows, slices;
};
struct SpectralMemory {
  gpu::DeviceBuffer<std::int64_t> sums;
  bool cleared = false;  // all memory of the sums is 0
  gpu::DeviceBuffer<unsigned char> touched;
  CudaCellSort order;
  gpu::DeviceBuffer<double> factors[3], frequencies[3];
  FieldMemory<float> in_float;
  FieldMemory<double> in_double;
};

kernels::NodeSpread spread_of(const SpectralPlan& plan, double total_weight) {
  kernels::NodeSpread spread{};
  for (int axis = 0; axis < 3; ++axis) {
    const SpectralAxis& a = plan.axes[static_cast<std::size_t>(axis)];
    spread.origin[axis] = a.origin;
    spread.first[axis] = a.first;
    spread.spacing[axis] = a.spacing;
    spread.nodes[axis] = a.nodes;
    spread.wraps[axis] = a.wraps;
  }
  spread.order = plan.order;
  spread.weight_scale = plan.numbers / total_weight;
  return spread;
}

kernels::CellAxis cells_of(const SpectralAxis& axis, std::int64_t cells) {
  return {axis.first,        axis.step, axis.begin, axis.end, static_cast<std::int32_t>(cells),
          axis.interpolated, axis.wraps};
}

template <class Value>
class CudaSpectralRun final : public CudaRun<Value> {
 public:
  CudaSpectralRun(const Problem& problem, const SpectralPlan& plan,
                  std::shared_ptr<CudaDevice> device, RunOrders orders, SpectralMemory& memory)
      : CudaRun<Value>(problem, std::move(device), std::move(orders)),
        plan_(plan),
        spread_(spread_of(plan, problem.total_weight)),
        memory_(memory) {
    clear_sums();
    upload_factors();  // while the sums are cleared
  }

  std::string launch_policy() const override {
    return plan_.describe() + "; " + spread_.describe();
  }

  StageTimes finish(Progress& progress) override {
    progress.throw_if_cancelled();
    if (plan_.in_double) return transform(memory_.in_double);
    if constexpr (std::is_same_v<Value, float>) return transform(memory_.in_float);
    return {};
  }

 private:
  /// Runs in float leave the sums at 0, so that most runs need not clear them.
  void clear_sums() {
    const auto size = static_cast<std::size_t>(spread_.size());
    if (memory_.sums.size() < size) memory_.cleared = false;
    memory_.sums.reserve(size);
    if (!memory_.cleared) memory_.sums.clear(this->stream());
    memory_.cleared = false;  // until this run is complete
    memory_.touched.reserve(static_cast<std::size_t>(spread_.tile_count()));
    gpu::check(cudaMemsetAsync(memory_.touched.data(), spread_.any_wraps() ? 1 : 0,
                               memory_.touched.size(), this->stream().get()),
               "mark the tiles");
  }

  StageTimes add_samples(const CudaSamples& samples, Progress& progress) override {
    const auto count = static_cast<std::uint64_t>(samples.count());
    progress.begin(kAccumulateStage, count, "samples");
    progress.throw_if_cancelled();
    if (count == 0) return {};
    gpu::StageTimer timer(this->stream());
    if (plan_.in_double)
      spread_all(samples.view(), memory_.in_double, timer);
    else
      spread_all(samples.view(), memory_.in_float, timer);
    StageTimes times = timer.finish();
    progress.update(count);
    return times;
  }

  template <class Real>
  void spread_all(const kernels::DevicePoints& points, FieldMemory<Real>& memory,
                  gpu::StageTimer& timer) {
    const cudaStream_t on = this->stream().get();
    const auto count = static_cast<std::size_t>(points.count);
    CudaCellSort& order = memory_.order;
    order.reserve(count);
    memory.sorted.reserve(count);
    kernels::key_by_tile(points, spread_, order.keys(), order.indices(), on);
    order.sort(points.count, spread_.key_bits(), on);
    kernels::gather_by_tile(points, spread_, order.sorted_indices(), memory.sorted.data(), on);
    timer.mark("sort");
    kernels::spread_samples(memory.sorted.data(), order.sorted_keys(), points.count, spread_,
                            memory_.sums.data(), memory_.touched.data(), on);
    timer.mark(std::string(kAccumulateStage));
  }

  /// Converts the sums to a field, transforms it, and writes the cells.
  template <class Real>
  StageTimes transform(FieldMemory<Real>& memory) {
    const gpu::Stream& stream = this->stream();
    const std::array<std::int32_t, 3> nodes{plan_.axes[0].nodes, plan_.axes[1].nodes,
                                            plan_.axes[2].nodes};
    const kernels::FieldDims dims{{nodes[0], nodes[1], nodes[2]}};
    if (!memory.transform.fits(nodes)) {
      memory.transform = {};  // before the next one is planned: both at once may not fit
      memory.transform = gpu::FieldTransform<Real>(nodes);
    }
    gpu::StageTimer timer(stream);
    Real* const field = field_of(memory);
    kernels::convert_sums(memory_.sums.data(), memory_.touched.data(), spread_, 1 / plan_.numbers,
                          field, stream.get());
    memory_.cleared = !plan_.in_double;
    memory.transform.forward(field, stream);
    kernels::multiply_field(field, dims, this->kernel(), factors_, stream.get());
    memory.transform.backward(field, stream);
    timer.mark("transform");
    write_cells(field, dims, memory);
    timer.mark("cells");
    return this->end_stages(timer);
  }

  /// Returns the field's memory: that of the sums if the numbers have the same size.
  template <class Real>
  Real* field_of(FieldMemory<Real>& memory) {
    if constexpr (sizeof(Real) == sizeof(std::int64_t))
      return reinterpret_cast<Real*>(memory_.sums.data());
    memory.field.reserve(static_cast<std::size_t>(spread_.size()));
    return memory.field.data();
  }

  void upload_factors() {
    for (int axis = 0; axis < 3; ++axis) {
      const SpectralAxis& a = plan_.axes[static_cast<std::size_t>(axis)];
      std::vector<double> frequencies, factors;
      frequencies.reserve(static_cast<std::size_t>(a.nodes));
      factors.reserve(frequencies.capacity());
      for (std::int32_t f = 0; f < a.nodes; ++f) {
        frequencies.push_back(angular_frequency(a, f));
        factors.push_back(spectral_factor(plan_, axis, f));
      }
      memory_.frequencies[axis].reserve(frequencies.size());
      memory_.factors[axis].reserve(factors.size());
      memory_.frequencies[axis].upload(frequencies, this->stream());
      memory_.factors[axis].upload(factors, this->stream());
      factors_.frequencies[axis] = memory_.frequencies[axis].data();
      factors_.factors[axis] = memory_.factors[axis].data();
    }
  }

  template <class Real>
  void write_cells(const Real* field, kernels::FieldDims dims, FieldMemory<Real>& memory) {
    const cudaStream_t on = this->stream().get();
    Value* const cells = this->values().overwritten_values();
    kernels::CellAxis axes[3];
    for (std::size_t a = 0; a < 3; ++a) axes[a] = cells_of(plan_.axes[a], this->grid().dims[a]);
    const bool any = axes[0].interpolated || axes[1].interpolated || axes[2].interpolated;
    constexpr Real kAny = std::numeric_limits<Real>::lowest();
    const Real least = this->problem().keep_negatives ? kAny : Real(0);
    if (!any) return kernels::crop_field(field, dims, axes, least, cells, on);
    const std::int64_t nx = axes[0].cells, ny = axes[1].cells;
    const std::int64_t rows = axes[1].end - axes[1].begin, slices = axes[2].end - axes[2].begin;
    memory.rows.reserve(static_cast<std::size_t>(nx * rows * slices));
    memory.slices.reserve(static_cast<std::size_t>(nx * ny * slices));
    kernels::take_rows(field, dims, axes, plan_.order, memory.rows.data(), on);
    kernels::take_axis(memory.rows.data(), nx, slices, axes[1], plan_.order, kAny,
                       memory.slices.data(), on);
    kernels::take_axis(memory.slices.data(), nx * ny, 1, axes[2], plan_.order, least, cells, on);
  }

  SpectralPlan plan_;
  kernels::NodeSpread spread_;
  SpectralMemory& memory_;
  kernels::FieldFactors factors_{};
};

/// Returns the bytes on the device of a run's working grid and of the interpolation of cells.
double working_bytes(const SpectralPlan& plan, const Grid& grid) {
  const double sums = plan.grid_bytes(), number = plan.in_double ? 8 : 4;
  const double spectrum = sums / 8 * number;  // the field, or the transform's workspace
  const auto nodes_of = [&](std::size_t a) {
    return static_cast<double>(plan.axes[a].end - plan.axes[a].begin);
  };
  double between = 0;
  if (std::ranges::any_of(plan.axes, &SpectralAxis::interpolated))
    between = number * static_cast<double>(grid.dims[0]) * nodes_of(2) *
              (nodes_of(1) + static_cast<double>(grid.dims[1]));
  return sums + (plan.in_double ? 1 : 2) * spectrum + between;
}

/// Returns the bytes of a device's memory, which are looked up once. Infinite if there is no such
/// device, as start() reports that better.
double memory_of_device(int index) {
  static std::mutex looking;
  static std::map<int, double> known;
  const std::lock_guard lock(looking);
  if (const auto found = known.find(index); found != known.end()) return found->second;
  double memory = std::numeric_limits<double>::infinity();
  try {
    memory = static_cast<double>(gpu::device_info(index).memory);
  } catch (const Error&) {
    return memory;
  }
  return known[index] = memory;
}

/// Computes densities by transforms.
class CudaSpectralEngine final : public CudaEngine {
 public:
  explicit CudaSpectralEngine(const EngineOptions& options)
      : CudaEngine(kCudaSpectralTraits, options), options_(options) {}

  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    if (std::string why = cuda_refusal(problem, cloud); !why.empty())
      return Offer::refused(std::move(why));
    const SpectralChoice choice = choice_for(problem);
    if (!choice.plan) return Offer::refused(choice.refusal);
    const SpectralPlan& plan = *choice.plan;
    if (*std::ranges::max_element(problem.grid().dims) > 1000000)
      return Offer::refused("an axis has more than a million cells");
    const double bytes = working_bytes(plan, problem.grid());
    if (std::string why = too_large(plan, bytes); !why.empty())
      return Offer::refused(std::move(why));
    constexpr double kSorted = 4 * sizeof(std::uint32_t);  // two buffers each of keys and indices
    Offer offer = cuda_offer(problem, cloud, kCudaSpectralTraits);
    offer.error = plan.error;
    offer.wraps = true;
    offer.reach = reach_of(plan, problem.grid());
    offer.seconds.run = predicted_seconds(plan, problem.grid(), cloud.samples);
    offer.device.fixed += bytes;
    offer.device.sample = kSorted + (plan.in_double ? sizeof(kernels::TilePoint<double>)
                                                    : sizeof(kernels::TilePoint<float>));
    return offer;
  }

  std::optional<StageWork> stage_work(std::string_view /*stage*/, const Problem& /*problem*/,
                                      const RunWork& /*work*/) const override {
    return std::nullopt;
  }

 private:
  /// Returns the problem's plan and keeps it: a run asks for the offer first and then for the plan,
  /// and other runs follow.
  SpectralChoice choice_for(const Problem& problem) const {
    const std::lock_guard lock(choosing_);
    if (!chosen_ || !(chosen_->first == problem))
      chosen_.emplace(problem, choose_spectral_plan(problem, kDeviceCosts));
    return chosen_->second;
  }

  /// Returns a refusal if the working memory exceeds half of the device's memory. The other half is
  /// for samples, values and other users.
  std::string too_large(const SpectralPlan& plan, double bytes) const {
    constexpr std::int32_t kMostNodes = 65535;  // limit of launches
    if (plan.axes[1].nodes > kMostNodes || plan.axes[2].nodes > kMostNodes)
      return "an axis has more than 65535 nodes";
    const double memory = options_.device_memory > 0 ? static_cast<double>(options_.device_memory)
                                                     : memory_of_device(options_.device);
    if (bytes <= memory / 2) return "";
    return "its " + std::to_string(plan.axes[0].nodes) + " x " +
           std::to_string(plan.axes[1].nodes) + " x " + std::to_string(plan.axes[2].nodes) +
           " nodes need " + format_bytes(bytes) +
           ", more than half of the GPU's memory, which is its limit";
  }

  /// Costs of samples, their nodes, the transforms and cells, predicted for an H200.
  static double predicted_seconds(const SpectralPlan& plan, const Grid& grid,
                                  std::int64_t samples) {
    constexpr double kStart = 2.5e-4, kSample = 2e-10, kTap = 1.3e-12, kDoubleTap = 8e-12,
                     kNode = 2.8e-11, kCell = 2.6e-12, kCellAnOrder = 6e-13;
    const bool between = std::ranges::any_of(plan.axes, &SpectralAxis::interpolated);
    const double cell = between ? kCellAnOrder * plan.order : kCell;
    const double taps = std::pow(plan.order, 3), nodes = static_cast<double>(plan.nodes());
    return kStart +
           static_cast<double>(samples) * (kSample + (plan.in_double ? kDoubleTap : kTap) * taps) +
           (plan.in_double ? 2 : 1) * (kNode * nodes + cell * static_cast<double>(grid.cells()));
  }

  std::unique_ptr<Run> start(const Problem& problem, RunOrders orders) override {
    if (!memory_) memory_ = std::make_unique<SpectralMemory>();
    const SpectralPlan plan = choice_for(problem).plan.value();
    if (problem.precision == Precision::f64)
      return std::make_unique<CudaSpectralRun<double>>(problem, plan, device(), std::move(orders),
                                                       *memory_);
    return std::make_unique<CudaSpectralRun<float>>(problem, plan, device(), std::move(orders),
                                                    *memory_);
  }

  mutable std::mutex choosing_;
  mutable std::optional<std::pair<Problem, SpectralChoice>> chosen_;
  EngineOptions options_;
  std::unique_ptr<SpectralMemory> memory_;  // made after the device is started
};

}  // namespace

std::string cuda_spectral_unavailable_reason() {
  const std::string reason = cuda_unavailable_reason();
  return reason.empty() ? gpu::fft_unavailable_reason() : reason;
}

std::unique_ptr<Engine> make_cuda_spectral(const EngineOptions& options) {
  return std::make_unique<CudaSpectralEngine>(options);
}

}  // namespace skde
