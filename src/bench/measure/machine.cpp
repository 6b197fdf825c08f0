#include "bench/measure/machine.hpp"

#include <omp.h>
#include <unistd.h>

#include <fstream>

#include "bench/ceilings/host_ceilings.hpp"
#include "bench/measure/build_record.hpp"
#include "core/version.hpp"
#if SKDE_HAS_CUDA
#include "bench/ceilings/device_ceilings.hpp"
#include "gpu/device_info.hpp"
#endif

namespace skde::bench {
namespace {

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
