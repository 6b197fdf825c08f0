#include "bench/measure/machine.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>

#include "bench/measure/build_record.hpp"
#include "core/version.hpp"
#include "engines/cpu/vector_instructions.hpp"
#include "system/stop_watch.hpp"

#if SKDE_HAS_CUDA
#include "bench/ceilings/device_ceilings.hpp"
#include "gpu/device_info.hpp"
#endif

namespace skde::bench {
namespace {

// Rates that the cores of this machine reach together in loops that do nothing else: the best of
// several trials, with this many threads.

/// Returns the highest rate of several trials of work that does `amount` each time.
template <class Work>
double best_rate(double amount, Work work) {
  constexpr int kTrials = 7;
  double best = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const StopWatch watch;
    work();
    best = std::max(best, amount / watch.seconds());
  }
  return best;
}

constexpr int kFloatLanes = 16;
constexpr int kChains = 12;  // independent sums, which hide the latency of a multiply-add
constexpr std::int64_t kRounds = 4'000'000;
using Lanes [[gnu::vector_size(kFloatLanes * sizeof(float))]] = float;

// Each variant is the same loop, compiled for other instructions.
#define SKDE_MULTIPLY_ADDS(name, instructions)                             \
  instructions float name(float factor, float term) {                      \
    Lanes sums[kChains], total{};                                          \
    for (int k = 0; k < kChains; ++k) sums[k] = Lanes{} + float(k);        \
    for (std::int64_t round = 0; round < kRounds; ++round)                 \
      for (int k = 0; k < kChains; ++k) sums[k] = sums[k] * factor + term; \
    for (int k = 0; k < kChains; ++k) total += sums[k];                    \
    float result = 0;                                                      \
    for (int lane = 0; lane < kFloatLanes; ++lane) result += total[lane];  \
    return result;                                                         \
  }
SKDE_MULTIPLY_ADDS(multiply_adds_any, )
#if defined(__x86_64__)
SKDE_MULTIPLY_ADDS(multiply_adds_avx512, SKDE_AVX512)
SKDE_MULTIPLY_ADDS(multiply_adds_avx2, SKDE_AVX2)
#endif
#undef SKDE_MULTIPLY_ADDS

using MultiplyAdds = float (*)(float factor, float term);

MultiplyAdds widest_multiply_adds() {
#if defined(__x86_64__)
  if (vector_instructions() == VectorInstructions::avx512) return multiply_adds_avx512;
  if (vector_instructions() == VectorInstructions::avx2) return multiply_adds_avx2;
#endif
  return multiply_adds_any;
}

/// Returns the bytes per second read and written between two arrays of 256 MiB.
double copied_bytes_a_second(int threads) {
  constexpr std::int64_t kBytes = std::int64_t{256} << 20, kPiece = std::int64_t{1} << 20;
  const auto from = std::make_unique_for_overwrite<char[]>(kBytes);
  const auto to = std::make_unique_for_overwrite<char[]>(kBytes);
  std::memset(from.get(), 1, kBytes);
  std::memset(to.get(), 2, kBytes);
  return best_rate(2.0 * kBytes, [&] {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t at = 0; at < kBytes; at += kPiece)
      std::memcpy(to.get() + at, from.get() + at, kPiece);
  });
}

/// Returns the fused multiply-adds of floats per second, with the widest vectors the engines use.
double multiply_adds_a_second(int threads) {
  const MultiplyAdds multiply_adds = widest_multiply_adds();
  volatile float sink = 0;  // prevents the removal of the loops
  return best_rate(static_cast<double>(kRounds) * kChains * kFloatLanes * threads, [&] {
    float total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
    total += multiply_adds(0.5F + 0 * sink, 0.25F);
    sink = total;
  });
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (const auto colon = line.find(": "); line.starts_with("model name") && colon != line.npos)
      return line.substr(colon + 2);
  return "unknown";
}

}  // namespace

MachineRecord describe_machine([[maybe_unused]] int device) {
  MachineRecord machine;
  machine.cpu = cpu_model();
  machine.cores = omp_get_num_procs();
  machine.memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  machine.gpu = machine.driver = machine.cuda = "none";
#if SKDE_HAS_CUDA
  machine.cuda = gpu::cuda_version();
  if (gpu::unavailable_reason().empty()) {
    gpu::select_device(device);
    const gpu::DeviceInfo info = gpu::device_info(device);
    machine.gpu = info.name;
    machine.gpu_memory = static_cast<double>(info.memory);
    machine.driver = gpu::driver_version();
  }
#endif
#if defined(__clang__)
  machine.compiler = "clang " __clang_version__;
#else
  machine.compiler = "g++ " __VERSION__;
#endif
  machine.flags = kCompilerFlags;
  machine.version = kVersion;
  machine.commit = kCommit;
  return machine;
}

std::vector<Ceiling> measure_host_ceilings(int threads) {
  const int used = threads > 0 ? threads : omp_get_max_threads();
  return {{"cpu", "copy", copied_bytes_a_second(used), "B"},
          {"cpu", "fma", multiply_adds_a_second(used), "operations"}};
}

std::vector<Ceiling> measure_cuda_ceilings([[maybe_unused]] int device) {
#if SKDE_HAS_CUDA
  if (gpu::unavailable_reason().empty()) {
    const DeviceCeilings best = measure_device_ceilings(device);
    return {{"cuda", "copy", best.copied_bytes, "B"},
            {"cuda", "fma", best.multiply_adds, "operations"},
            {"cuda", "coalesced atomics", best.coalesced_atomics, "operations"},
            {"cuda", "random atomics", best.random_atomics, "operations"}};
  }
#endif
  return {};
}

}  // namespace skde::bench
