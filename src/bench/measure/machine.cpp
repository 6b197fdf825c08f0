#include "bench/measure/machine.hpp"

#include <fmt/chrono.h>
#include <omp.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

#include "bench/measure/build_record.hpp"
#include "core/version.hpp"
#if SKDE_HAS_CUDA
#include "bench/measure/cuda_machine.hpp"
#endif

namespace skde::bench {
namespace {

/// The value of the first line "key : value" of a file; "unknown" where there is none.
std::string field_of(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (value != line.npos) return line.substr(value);
  }
  return "unknown";
}

double host_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<double>(pages) * static_cast<double>(size) : 0;
}

}  // namespace

MachineRecord describe_machine([[maybe_unused]] int device) {
  MachineRecord machine;
  machine.cpu = field_of("/proc/cpuinfo", "model name");
  machine.cores = omp_get_num_procs();
  machine.memory = host_memory();
  machine.gpu = machine.driver = machine.cuda = "none";
#if SKDE_HAS_CUDA
  describe_gpu(device, machine);
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

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace skde::bench
