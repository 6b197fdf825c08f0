#include "engines/host_memory.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace skde {

std::int64_t available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key, unit; meminfo >> key;) {
    std::int64_t kibibytes = 0;
    if (!(meminfo >> kibibytes)) break;
    if (key == "MemAvailable:") return kibibytes * 1024;
    std::getline(meminfo, unit);
  }
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

}  // namespace skde
