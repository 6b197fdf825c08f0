#include "bench/measure/machine.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>

#include "bench/measure/build_record.hpp"
#include "core/stop_watch.hpp"
#include "core/version.hpp"

namespace skde::bench {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (const std::size_t colon = line.find(": ");
        line.starts_with("model name") && colon != line.npos)
      return line.substr(colon + 2);
  return "unknown";
}

/// The highest rate of several trials of work that does `amount` each time.
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

double copy_rate(int threads) {
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

constexpr int kLanes = 16;
constexpr int kChains = 12;  // independent sums, which hide the latency of a multiply-add
constexpr std::int64_t kRounds = 4'000'000;
using Lanes [[gnu::vector_size(kLanes * sizeof(float))]] = float;

// Each variant is the same loop, compiled for other instructions.
#define SKDE_MULTIPLY_ADDS(name, instructions)                             \
  instructions float name(float factor, float term) {                      \
    Lanes sums[kChains], total{};                                          \
    for (int k = 0; k < kChains; ++k) sums[k] = Lanes{} + float(k);        \
    for (std::int64_t round = 0; round < kRounds; ++round)                 \
      for (int k = 0; k < kChains; ++k) sums[k] = sums[k] * factor + term; \
    for (int k = 0; k < kChains; ++k) total += sums[k];                    \
    float result = 0;                                                      \
    for (int lane = 0; lane < kLanes; ++lane) result += total[lane];       \
    return result;                                                         \
  }
SKDE_MULTIPLY_ADDS(multiply_adds_baseline, )
#if defined(__x86_64__)
SKDE_MULTIPLY_ADDS(multiply_adds_avx512, [[gnu::target("avx512f,fma")]])
SKDE_MULTIPLY_ADDS(multiply_adds_avx2, [[gnu::target("avx2,fma")]])
#endif
#undef SKDE_MULTIPLY_ADDS

double fma_rate(int threads) {
  auto* multiply_adds = &multiply_adds_baseline;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    multiply_adds = &multiply_adds_avx2;
  if (__builtin_cpu_supports("avx512f")) multiply_adds = &multiply_adds_avx512;
#endif
  volatile float sink = 0;  // or the loops would be left out
  return best_rate(static_cast<double>(kRounds) * kChains * kLanes * threads, [&] {
    float total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
    total += multiply_adds(0.5F + 0 * sink, 0.25F);
    sink = total;
  });
}

}  // namespace

#if !SKDE_HAS_CUDA
void describe_gpu(int, MachineRecord&) {}
std::vector<Ceiling> measure_cuda_ceilings(int) { return {}; }
#endif

MachineRecord describe_machine(int device) {
  MachineRecord machine;
  machine.cpu = cpu_model();
  machine.cores = omp_get_num_procs();
  machine.memory =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  machine.gpu = machine.driver = machine.cuda = "none";
  describe_gpu(device, machine);
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
  return {{"cpu", "copy", copy_rate(used), "B"}, {"cpu", "fma", fma_rate(used), "operations"}};
}

}  // namespace skde::bench
