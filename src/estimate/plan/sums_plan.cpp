#include "estimate/plan/sums_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/report/thread_room.hpp"
#include "engines/integer_sums.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/plan/engine_choice.hpp"
#include "estimate/read/boundary_images.hpp"
#include "estimate/read/part_reader.hpp"
#include "estimate/values/density_setup.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

void require_summable(const DensityRequest& request, const CloudFiles& files) {
  if (request.adaptive)
    throw Error(ErrorKind::unsupported, "adaptive bandwidths cannot be summed in parts",
                {"adaptive", "leave out `adaptive`"});
  refuse_sharpening(request, "sums of parts, windows and ranks");
  refuse_means(request, "sums of parts, windows and ranks");
  refuse_linear_faces(request, "sums of parts, windows and ranks");
  require_no_widths(files);
  require_integers(request.kernel);
  if (!request.is_automatic() && !engine_entry(request.engine).traits.sums_integers)
    throw Error(ErrorKind::unsupported,
                fmt::format("the engine {} cannot sum parts", request.engine),
                {"engine", fmt::format("leave out `engine`, or use {} or {}",
                                       integer_engine(Device::cpu), integer_engine(Device::cuda))});
}

[[noreturn]] void throw_without_moments(const char* what, const char* instead = nullptr) {
  throw Error(ErrorKind::usage,
              fmt::format("{} is derived from all samples, which are not known in advance", what),
              {"moments", fmt::format("give `moments` of all samples{}{}", instead ? ", or " : "",
                                      instead ? instead : "")});
}

/// Weights and the digits of doubles need moments, or a window of known size.
void require_known_weights(const SumsRequest& request, bool weighted) {
  if (request.whole && request.whole->weighted != weighted)
    throw Error(ErrorKind::usage,
                fmt::format("the moments are of samples with{} weights",
                            request.whole->weighted ? "" : "out"),
                {"moments", "give `moments` that were read with the same `weights`"});
  if (request.whole || request.window > 0) return;
  if (weighted) throw_without_moments("the scale of weights");
  if (request.density.precision == Precision::f64)
    throw_without_moments("the number of digits of doubles", "`precision=f32`");
}

/// Sets up bandwidth and grid from the moments of all parts, or without any moments.
DensitySetup set_up(const SumsRequest& request) {
  const GridAhead ahead = grid_ahead(request.density);
  if (!request.whole) {
    if (!has_fixed_kernel(request.density))
      throw_without_moments("the bandwidth", "`bandwidth=HX,HY,HZ`");
    if (!ahead.grid) throw_without_moments("the box", "`bounds`");
    return set_up_independent(request.density, *ahead.grid);
  }
  require_frame_of_like(request.density, request.whole->frame);
  const Moments moments = request.whole->moments.moments();
  return set_up_density(request.density, moments, moments.bounds(), ahead);
}

/// Returns the scale of the integers. A window uses the scale of the moments, which may be of fewer
/// samples.
int digits_for(const SumsRequest& request, bool weighted, double growth) {
  const auto window = static_cast<double>(request.window);
  double largest = 1, all = kMostUncountedSamples;
  if (request.whole) {
    largest = request.whole->moments.largest_weight();
    all = request.whole->moments.total_weight();
  } else if (weighted || request.density.precision == Precision::f64) {
    largest = request.largest_weight;
    all = request.total_weight > 0 ? request.total_weight : window * largest;
  }
  const int digits = binary_digits_for(growth * largest, growth * all);
  if (request.whole && largest * window * std::ldexp(growth, digits) > 0x1p62)
    throw Error(ErrorKind::usage, "the integer sums overflow: the window holds too much weight",
                {"window", "use a smaller `window`"});
  return digits;
}

/// Returns the device that a request names directly or by its engine; none if any device will do.
std::optional<Device> named_device(const DensityRequest& request) {
  return request.is_automatic() ? request.device : engine_entry(request.engine).traits.device;
}

/// Returns the number of samples that the run adds; 0 if it is unknown.
double known_samples(const SumsRequest& request) {
  if (!request.whole || request.window > 0) return 0;
  return static_cast<double>(request.whole->moments.count()) /
         static_cast<double>(request.part.parts);
}

std::vector<EngineOffer> integer_offers(const SumsPlan& plan, double samples) {
  std::vector<EngineOffer> offers;
  for (const EngineEntry& entry : engine_table()) {
    if (!entry.traits.sums_integers) continue;
    const std::string why = entry.unavailable();
    offers.push_back({&entry, why.empty()
                                  ? entry.integers->offer(plan.head.problem, plan.slices.count,
                                                          samples, plan.options)
                                  : Offer::refused(why)});
  }
  return offers;
}

/// Starts the GPUs. Throws Error(resources) if they are missing or cannot hold the sums.
void require_device_room(const SumsPlan& plan, const EngineOffer& of, int sharers) {
  const double needed = sharers * of.offer.device.fixed;
  for (const int device : plan.options.devices) {
    EngineOptions options;
    options.device = device;
    std::int64_t free = make_engine(of.entry->traits.name, options)->free_memory();
    if (plan.options.device_memory > 0) free = std::min(free, plan.options.device_memory);
    if (needed <= static_cast<double>(free)) continue;
    throw Error(
        ErrorKind::resources,
        fmt::format("sums of {} slices{} need {} on GPU {}, which has {} free", plan.slices.count,
                    sharers > 1 ? fmt::format(", by {} ranks,", sharers) : "", format_bytes(needed),
                    device, format_bytes(static_cast<double>(free))),
        {"engine", fmt::format("use smaller `dims`, or `engine={}`", integer_engine(Device::cpu))});
  }
}

/// Returns whether to use a GPU that the user has not named. Parts of a job array may run side by
/// side, too many for one GPU.
bool is_gpu_worth_it(const SumsPlan& plan, const SumsRequest& request) {
  constexpr double kWorthSeconds = 1;  // starting a device takes part of that
  const Offer& on_cpu = offer_of(plan.offers, integer_engine(Device::cpu)).offer;
  return (request.share || request.part.parts == 1) && !plan.options.devices.empty() &&
         on_cpu.seconds.run >= kWorthSeconds;
}

/// Chooses the engine: that of a GPU if it is named, or worth it and has room; else that of the
/// CPU.
void choose_engine(SumsPlan& plan, const SumsRequest& request) {
  const std::optional<Device> named = named_device(request.density);
  plan.offers = integer_offers(plan, known_samples(request));
  const bool on_cpu = named != Device::cuda;
  RankedOffers offers;
  const auto add = [&](Device device) {
    offers.push_back(&offer_of(plan.offers, request.density.is_automatic()
                                                ? integer_engine(device)
                                                : std::string_view(request.density.engine)));
  };
  if (named ? !on_cpu : is_gpu_worth_it(plan, request)) add(Device::cuda);
  if (on_cpu) add(Device::cpu);
  choose_engine(plan, offers, [&](const EngineOffer& offer) {
    if (offer.entry->traits.device != Device::cpu)
      require_device_room(plan, offer, request.share ? request.share->sharers : 1);
    return std::string();
  });
  if (plan.device == Device::cpu) plan.options.devices.clear();
}

/// Plans memory: samples and images are made and summed in portions, beside the sums.
void plan_room(SumsPlan& plan, const SumsRequest& request) {
  constexpr auto kAtOnce = static_cast<double>(kSamplesAtOnce);
  const Offer& offer = offer_of(plan.offers, plan.engine).offer;
  const double needed = offer.host.bytes(0, kAtOnce, 0) + host_sample_bytes(true, false) * kAtOnce +
                        image_bytes(plan.head.problem, offer.host.sample) +
                        static_cast<double>(kProgramBytes);
  const std::int64_t cells = plan.grid.dims[0] * plan.grid.dims[1] * plan.slices.count;
  plan.memory = {.samples = static_cast<std::int64_t>(known_samples(request)),
                 .part_samples = static_cast<std::int64_t>(kSamplesAtOnce),
                 .slab_slices = plan.slices.count,
                 .volume_bytes = static_cast<std::int64_t>(sizeof(std::int64_t)) * cells,
                 .host_bytes = static_cast<std::int64_t>(needed)};
  plan.memory_limit = memory_within(request.memory_limit);
  const bool is_volume = request.window > 0 || request.share;  // otherwise the sums are written
  plan.forecast = {
      offer.seconds.total(), needed,
      static_cast<double>(is_volume ? plan.grid.bytes(plan.precision) : plan.memory.volume_bytes),
      plan.device != Device::cpu};
  if (const auto limit = static_cast<double>(plan.memory_limit); needed > limit)
    throw Error(
        ErrorKind::resources,
        fmt::format(
            "sums of {} cells of 8 bytes need {} with the samples, but only {} are available",
            cells, format_bytes(needed), format_bytes(limit)),
        {"dims", "use smaller `dims`, or a larger `memory_limit`"});
}

}  // namespace

std::string SumsPlan::summed_by() const {
  if (device != Device::cpu)
    return fmt::format("{} on GPU {}", engine, fmt::join(options.devices, " and "));
  const int threads = thread_count(options.threads);
  return fmt::format("{}, {} {}", engine, threads, threads == 1 ? "thread" : "threads");
}

std::vector<int> devices_for_sums(const DensityRequest& request, bool all) {
  const std::optional<Device> named = named_device(request);
  if (named == Device::cpu) return {};
  if (!request.options.devices.empty()) return request.options.devices;
  std::vector<int> here = all_devices();
  if (named && (!all || here.empty() || request.device == Device::cuda))
    return {request.options.device};
  if (!all && !here.empty()) here.erase(here.begin() + 1, here.end());
  return here;
}

PartialHead plan_head(const CloudFiles& files, const SumsRequest& request) {
  const bool weighted = files.columns.weighted();
  require_summable(request.density, files);
  require_known_weights(request, weighted);
  const DensitySetup setup = set_up(request);
  PartialHead head;
  PartialProblem& problem = head.problem;
  problem = {setup.grid, setup.kernel, request.density.precision};
  // The tolerance says where unbounded kernels are cut; bounded ones have none.
  if (problem.kernel.function->is_bounded()) problem.kernel.tolerance = 0;
  problem.boundaries = request.density.boundaries;
  if (const auto images = images_of(problem)) problem.growth = images->growth();
  problem.binary_digits = digits_for(request, weighted, problem.growth);
  head.h = setup.bandwidth.h;
  head.bandwidth_source = setup.bandwidth.source;
  return head;
}

SumsPlan plan_sums(const CloudFiles& files, const SumsRequest& request) {
  return plan_sums(files, request, plan_head(files, request));
}

SumsPlan plan_sums(const CloudFiles& files, const SumsRequest& request, PartialHead head) {
  SumsPlan plan;
  plan.request = request.density;
  plan.part = request.part;
  plan.window = request.window;
  plan.whole = request.whole;
  plan.head = std::move(head);
  const PartialProblem& problem = plan.head.problem;
  plan.bandwidth = {problem.kernel.H, plan.head.h, plan.head.bandwidth_source, false};
  plan.kernel = problem.kernel;
  plan.grid = problem.grid;
  plan.precision = problem.precision;
  plan.boundaries = problem.boundaries;
  plan.one_pass = true;
  plan.cloud = {static_cast<std::int64_t>(kSamplesAtOnce), files.columns.weighted(), false};
  plan.slices = request.share ? request.share->slices : SliceRange{0, plan.grid.dims[2]};
  plan.options = request.density.options;
  plan.options.devices =
      request.share ? request.share->devices : devices_for_sums(request.density, false);
  if (plan.slices.count == 0) return plan;  // this rank has nothing to sum
  try {
    choose_engine(plan, request);
    plan_room(plan, request);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::resources) throw;
    plan.obstacle = error;
  }
  return plan;
}

}  // namespace skde
