#include "engines/registry/registry.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/report/error.hpp"
#include "core/report/words.hpp"
#include "engines/cpu/cpu_engines.hpp"
#include "engines/cpu/integer/span_integer_sums.hpp"
#include "engines/cuda/cuda_traits.hpp"
#include "engines/group/device_group.hpp"
#include "engines/served.hpp"
#if SKDE_HAS_CUDA
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_integer_sums.hpp"
#endif

namespace skde {
namespace {

std::string always_available() { return ""; }
[[maybe_unused]] std::unique_ptr<Engine> make_nothing(const EngineOptions&) { return nullptr; }

#if SKDE_HAS_FFTW
constexpr auto kSpectralUnavailable = always_available;
constexpr auto kMakeSpectral = make_spectral;
#else
std::string built_without_fftw() { return "configure it with SKDE_WITH_FFTW=ON"; }
constexpr auto kSpectralUnavailable = built_without_fftw;
constexpr auto kMakeSpectral = make_nothing;
#endif

#if SKDE_HAS_CUDA
constexpr auto kCudaUnavailable = cuda_unavailable_reason;
constexpr auto kMakeCudaNaive = make_cuda_naive;
constexpr auto kMakeCudaChopCrop = make_cuda_chop_crop;
constexpr auto kMakeCudaSpan = make_cuda_span;
constexpr auto kMakeCudaTile = make_cuda_tile;
constexpr auto kMakeCudaRanges = make_cuda_ranges;
constexpr auto kCudaSpectralUnavailable = cuda_spectral_unavailable_reason;
constexpr auto kMakeCudaSpectral = make_cuda_spectral;
constexpr const IntegerAccumulator* kCudaIntegers = &kCudaIntegerSums;
#else
std::string built_without_cuda() { return "built without the CUDA toolkit"; }
constexpr auto kCudaUnavailable = built_without_cuda;
constexpr auto kMakeCudaNaive = make_nothing;
constexpr auto kMakeCudaChopCrop = make_nothing;
constexpr auto kMakeCudaSpan = make_nothing;
constexpr auto kMakeCudaTile = make_nothing;
constexpr auto kMakeCudaRanges = make_nothing;
constexpr auto kCudaSpectralUnavailable = built_without_cuda;
constexpr auto kMakeCudaSpectral = make_nothing;
constexpr const IntegerAccumulator* kCudaIntegers = nullptr;
#endif

constexpr std::array kEngines{
    EngineEntry{kNaiveTraits, always_available, make_naive},
    EngineEntry{kOpenmpTraits, always_available, make_openmp},
    EngineEntry{kSpanTraits, always_available, make_span, &kSpanIntegerSums},
    EngineEntry{kTileTraits, always_available, make_tile},
    EngineEntry{kSpectralTraits, kSpectralUnavailable, kMakeSpectral},
    EngineEntry{kRangesTraits, always_available, make_ranges},
    EngineEntry{kCudaNaiveTraits, kCudaUnavailable, kMakeCudaNaive},
    EngineEntry{kCudaChopCropTraits, kCudaUnavailable, kMakeCudaChopCrop, kCudaIntegers},
    EngineEntry{kCudaSpanTraits, kCudaUnavailable, kMakeCudaSpan},
    EngineEntry{kCudaTileTraits, kCudaUnavailable, kMakeCudaTile},
    EngineEntry{kCudaRangesTraits, kCudaUnavailable, kMakeCudaRanges},
    EngineEntry{kCudaSpectralTraits, kCudaSpectralUnavailable, kMakeCudaSpectral},
};

/// Creates the engine; for several devices, a group with an engine for each.
std::unique_ptr<Engine> create(const EngineEntry& entry, const EngineOptions& options) {
  if (entry.traits.device != Device::cuda || options.devices.size() < 2)
    return entry.create(options);
  std::vector<GroupMember> members;
  for (const int device : options.devices) {
    EngineOptions own = options;
    own.devices.clear();
    own.device = device;
    members.push_back({device, entry.create(own)});
  }
  return make_device_group(std::move(members));
}

Offer offer_of(const EngineEntry& entry, const Problem& problem, const CloudFacts& cloud,
               const EngineOptions& options) {
  if (std::string why = entry.unavailable(); !why.empty()) return Offer::refused(std::move(why));
  if (problem.signed_weights && entry.traits.device == Device::cuda)
    return Offer::refused("weights below 0 are summed on the CPU only; `device=cpu`");
  return offer_for(*create(entry, options), problem, cloud);
}

}  // namespace

std::span<const EngineEntry> engine_table() { return kEngines; }

std::vector<int> all_devices() {
#if SKDE_HAS_CUDA
  std::vector<int> devices(static_cast<std::size_t>(cuda_device_count()));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
#else
  return {};
#endif
}

const EngineEntry& engine_entry(std::string_view name) {
  std::vector<std::string_view> names;
  for (const EngineEntry& entry : kEngines) {
    if (entry.traits.name == name) return entry;
    names.push_back(entry.traits.name);
  }
  throw Error(ErrorKind::usage, fmt::format("unknown engine '{}'", name),
              {"engine", did_you_mean(name, names)});
}

const EngineOffer& offer_of(std::span<const EngineOffer> offers, std::string_view engine) {
  return *std::ranges::find(offers, &engine_entry(engine), &EngineOffer::entry);
}

std::string_view integer_engine(Device device) {
  return std::ranges::find_if(kEngines,
                              [device](const EngineEntry& entry) {
                                return entry.traits.device == device && entry.traits.sums_integers;
                              })
      ->traits.name;
}

void require_integers(KernelFunction function) {
  if (function->has_integers) return;
  throw Error(
      ErrorKind::unsupported,
      fmt::format("the {} kernel is not summed in integers, as parts, windows and ranks are",
                  function->name),
      {"kernel", "choose another `kernel`, or one run over all samples"});
}

std::unique_ptr<IntegerSums> make_integer_sums(std::string_view name, const PartialProblem& problem,
                                               SliceRange slices, const EngineOptions& options) {
  const EngineEntry& entry = engine_entry(name);
  require_integers(problem.kernel.function);
  if (entry.integers) return entry.integers->make(problem, slices, options);
  throw Error(ErrorKind::unsupported,
              fmt::format("engine {} has no integer sums for this case", name),
              {"engine", fmt::format("use `engine={}`", integer_engine(Device::cpu))});
}

std::unique_ptr<Engine> make_engine(std::string_view name, const EngineOptions& options) {
  const EngineEntry& entry = engine_entry(name);
  if (const std::string reason = entry.unavailable(); !reason.empty())
    throw Error(ErrorKind::resources, fmt::format("engine {} is unavailable: {}", name, reason),
                {"engine", "choose another `engine`"});
  return create(entry, options);
}

std::vector<EngineOffer> engine_offers(const Problem& problem, const CloudFacts& cloud,
                                       const EngineOptions& options, bool asks_gpus) {
  std::vector<EngineOffer> offers;
  offers.reserve(kEngines.size());
  for (const EngineEntry& entry : kEngines)
    offers.push_back({&entry, asks_gpus || entry.traits.device == Device::cpu
                                  ? offer_of(entry, problem, cloud, options)
                                  : Offer::refused("no GPU was asked; `engine=gpu`")});
  return offers;
}

}  // namespace skde
