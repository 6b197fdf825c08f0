#include "engines/whole_sums.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "engines/cpu/integer/integer_sums.hpp"
#include "engines/registry.hpp"
#if SKDE_HAS_CUDA
#include "engines/cuda/cuda_integer_sums.hpp"
#endif

namespace skde {

std::string to_text(const WholeSumsPlace& place) {
  if (!place.devices.empty())
    return fmt::format("{} on GPU {}", integer_engine(Device::cuda),
                       fmt::join(place.devices, " and "));
  const int threads = thread_count(place.threads);
  return fmt::format("{}, {} {}", integer_engine(Device::cpu), threads,
                     threads == 1 ? "thread" : "threads");
}

std::unique_ptr<WholeSums> make_whole_sums(const PartialProblem& problem,
                                           const WholeSumsPlace& place, SliceRange slices) {
  if (place.devices.empty())
    return std::make_unique<IntegerSums>(problem, place.threads, slices.first, slices.count);
#if SKDE_HAS_CUDA
  return std::make_unique<CudaIntegerSums>(problem, place.devices, slices);
#else
  throw Error(ErrorKind::resources, "no GPU sums: built without the CUDA toolkit", {"device", {}});
#endif
}

double whole_sums_device_bytes([[maybe_unused]] const PartialProblem& problem,
                               [[maybe_unused]] std::int64_t slices) {
#if SKDE_HAS_CUDA
  return CudaIntegerSums::device_bytes(problem, slices);
#else
  return 0;
#endif
}

}  // namespace skde
