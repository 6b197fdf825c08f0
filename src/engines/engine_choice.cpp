#include "engines/engine_choice.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.hpp"
#include "engines/cpu/row_method.hpp"
#include "engines/cpu/span_engine.hpp"
#include "engines/cuda/cuda_traits.hpp"
#include "engines/registry.hpp"
#if SKDE_HAS_CUDA
#include "kernels/span_plan.hpp"
#endif

namespace skde {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double cells_of(const Workload& work) { return static_cast<double>(work.grid.cells()); }

double cpu_span_seconds(const Workload& work, const EngineOptions& options) {
  constexpr double kSlice = 6e-8, kRow = 2.1e-9, kVector = 1.9e-9, kDifferenceRow = 5.5e-9,
                   kCell = 1.4e-9;
  const double lanes = options.precision == Precision::f32 ? 16 : 8;
  const double threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  const auto& dims = work.grid.dims;
  const Ellipsoid<double>& e = work.ellipsoid;
  // Kernels beyond the box cost only what is inside.
  const double slices = std::min(2 * e.sz, static_cast<double>(dims[2]));
  const double rows = slices * std::min(std::numbers::pi / 2 * e.sy, static_cast<double>(dims[1]));
  const RowMethod method = choose_row_method(e, work.grid, work.kernel, options.precision);
  const double row = method == RowMethod::differences
                         ? kDifferenceRow
                         : kRow + kVector * mean_row_cells(e, work.grid) / lanes;
  return static_cast<double>(work.samples) * (kSlice * slices + row * rows) / threads +
         kCell * cells_of(work) / std::min(threads, 4.0);
}

double chop_crop_seconds(const Workload& work, const EngineOptions& options) {
  constexpr double kStart = 7.7e-5, kSlice = 4.1e-10, kBox = 1.04e-11, kCell = 9.3e-13;
  const double wide = options.precision == Precision::f32 ? 1 : 2;
  const Ellipsoid<double>& e = work.ellipsoid;
  const auto& dims = work.grid.dims;
  const auto within = [&](double half, std::size_t axis) {
    return std::min(half, static_cast<double>(dims[axis]));
  };
  const double z = within(e.sz, 2);
  return kStart +
         static_cast<double>(work.samples) *
             (kSlice * z + wide * kBox * within(e.rx, 0) * within(e.ry, 1) * z) +
         wide * kCell * cells_of(work);
}

#if SKDE_HAS_CUDA
double cuda_span_seconds(const Workload& work, const EngineOptions& options) {
  if (options.precision == Precision::f64 ||
      !kernels::span_refusal(work.ellipsoid, work.kernel).empty())
    return kNever;
  constexpr double kStart = 7.1e-5, kSample = 1.65e-10, kTile = 3.8e-11, kWideTile = 4.3e-10,
                   kCell = 2.6e-12;
  // Up to about so many samples are sorted by a single launch, more by several.
  constexpr double kSort = 6.5e-5, kSortedAtOnce = 5000;
  const bool wide = kernels::needs_wide_words(work.ellipsoid, work.kernel, work.weighted);
  const Ellipsoid<double>& e = work.ellipsoid;
  const double width =
      wide ? 64 : static_cast<double>(std::min<std::int64_t>(work.grid.dims[0], 128));
  const double tiles = (2 * e.rx / width + 1) * (2 * e.ry / kernels::kTileRowsY + 1) *
                       (2 * e.sz / kernels::kTileRowsZ + 1);
  const auto samples = static_cast<double>(work.samples);
  return kStart + (samples > kSortedAtOnce ? kSort : 0.0) +
         samples * (kSample + (wide ? kWideTile : kTile) * tiles) + kCell * cells_of(work);
}
#endif

/// From the start of a program to the first kernel, and the ways there and back.
double gpu_overhead(const Workload& work, const EngineOptions& options) {
  constexpr double kDeviceStart = 0.12, kUpload = 1e10, kDownload = 2.5e9;
  const double bytes = static_cast<double>(work.grid.bytes(options.precision));
  return kDeviceStart + 24 * static_cast<double>(work.samples) / kUpload + bytes / kDownload;
}

bool is_available(std::string_view name) {
  return std::ranges::any_of(engine_table(), [&](const EngineEntry& entry) {
    return entry.traits.name == name && entry.unavailable().empty();
  });
}

}  // namespace

double predicted_seconds(std::string_view engine, const Workload& work,
                         const EngineOptions& options) {
  if (engine == kSpanTraits.name) return cpu_span_seconds(work, options);
  if (engine == kCudaChopCropTraits.name) return chop_crop_seconds(work, options);
#if SKDE_HAS_CUDA
  if (engine == kCudaSpanTraits.name) return cuda_span_seconds(work, options);
#endif
  return kNever;
}

std::string_view choose_engine(const Workload& work, const EngineOptions& options,
                               std::optional<Device> device) {
  const bool gpu = device != Device::cpu && is_available(kCudaChopCropTraits.name);
  if (!gpu && device == Device::cuda) make_engine(kCudaChopCropTraits.name, options);  // throws why
  if (!gpu) return kSpanTraits.name;
  const double span = predicted_seconds(kCudaSpanTraits.name, work, options);
  const double chop_crop = predicted_seconds(kCudaChopCropTraits.name, work, options);
  const std::string_view fastest =
      span < chop_crop ? kCudaSpanTraits.name : kCudaChopCropTraits.name;
  if (device == Device::cuda) return fastest;
  const double on_gpu = std::min(span, chop_crop) + gpu_overhead(work, options);
  return predicted_seconds(kSpanTraits.name, work, options) < on_gpu ? kSpanTraits.name : fastest;
}

}  // namespace skde
