#include "engines/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "engines/cpu/naive_engine.hpp"
#include "engines/cpu/openmp_engine.hpp"
#include "engines/cpu/span_engine.hpp"
#include "engines/cuda/cuda_traits.hpp"
#if SKDE_HAS_CUDA
#include "engines/cuda/cuda_engines.hpp"
#endif

namespace skde {
namespace {

std::string always_available() { return ""; }

#if SKDE_HAS_CUDA
constexpr auto kCudaUnavailable = cuda_unavailable_reason;
constexpr auto kMakeCudaNaive = make_cuda_naive;
constexpr auto kMakeCudaChopCrop = make_cuda_chop_crop;
constexpr auto kMakeCudaSpan = make_cuda_span;
#else
std::string built_without_cuda() { return "built without the CUDA toolkit"; }
std::unique_ptr<Engine> make_nothing(const EngineOptions&) { return nullptr; }
constexpr auto kCudaUnavailable = built_without_cuda;
constexpr auto kMakeCudaNaive = make_nothing;
constexpr auto kMakeCudaChopCrop = make_nothing;
constexpr auto kMakeCudaSpan = make_nothing;
#endif

constexpr std::array kEngines{
    EngineEntry{kNaiveTraits, always_available, make_naive},
    EngineEntry{kOpenmpTraits, always_available, make_openmp},
    EngineEntry{kSpanTraits, always_available, make_span},
    EngineEntry{kCudaNaiveTraits, kCudaUnavailable, kMakeCudaNaive},
    EngineEntry{kCudaChopCropTraits, kCudaUnavailable, kMakeCudaChopCrop},
    EngineEntry{kCudaSpanTraits, kCudaUnavailable, kMakeCudaSpan},
};

}  // namespace

std::span<const EngineEntry> engine_table() { return kEngines; }

bool has_device(Device device) {
  return std::ranges::any_of(kEngines, [device](const EngineEntry& entry) {
    return entry.traits.device == device && entry.unavailable().empty();
  });
}

std::unique_ptr<Engine> make_engine(std::string_view name, const EngineOptions& options) {
  std::vector<std::string_view> names;
  for (const EngineEntry& entry : kEngines) {
    names.push_back(entry.traits.name);
    if (entry.traits.name != name) continue;
    if (const std::string reason = entry.unavailable(); !reason.empty())
      throw Error(ErrorKind::resources, fmt::format("engine {} is unavailable: {}", name, reason),
                  {"engine", "choose another `engine`"});
    if (options.precision == Precision::f64 && !(entry.traits.error_f64 > 0))
      throw Error(ErrorKind::unsupported, fmt::format("engine {} computes in f32 only", name),
                  {"precision", "leave out `precision=f64` or name another `engine`"});
    return entry.create(options);
  }
  throw Error(ErrorKind::usage, fmt::format("unknown engine '{}'", name),
              {"engine", did_you_mean(name, names)});
}

}  // namespace skde
