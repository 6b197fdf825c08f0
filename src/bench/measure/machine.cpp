#include "bench/measure/machine.hpp"

#include <omp.h>
#include <unistd.h>

#include <fstream>

#include "bench/measure/build_record.hpp"
#include "core/version.hpp"
#include "engines/cpu/host_ceilings.hpp"

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
  return {{"cpu", "copy", copied_bytes_a_second(used), "B"},
          {"cpu", "fma", multiply_adds_a_second(used), "operations"}};
}

}  // namespace skde::bench
