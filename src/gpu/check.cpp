#include "gpu/check.hpp"

#include <fmt/core.h>

#include "core/report/error.hpp"

namespace skde::gpu {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that the next check does not report it again
  if (status == cudaErrorMemoryAllocation)
    throw Error(ErrorKind::resources, fmt::format("{}: not enough free GPU memory", what),
                {"dims", "use smaller `dims`, `precision=f32`, or a CPU `engine`"});
  throw Error(ErrorKind::resources,
              fmt::format("{}: CUDA error {} ({})", what, cudaGetErrorName(status),
                          cudaGetErrorString(status)),
              {"engine", "check the GPU and its driver, or use a CPU `engine`"});
}

}  // namespace skde::gpu
