#include "engines/mixture_engine.hpp"

#include "core/kernel/kernel_shape.hpp"
#include "core/report/error.hpp"
#include "engines/cpu/mixture/cpu_mixture.hpp"
#if SKDE_HAS_CUDA
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_mixture.hpp"
#endif

namespace skde {

Offer mixture_offer(const MixtureProblem& problem, std::size_t members, const Symmetric3& typical,
                    Device device) {
  if (device == Device::cpu) return cpu_mixture_offer(problem, members, typical);
#if SKDE_HAS_CUDA
  if (std::string why = cuda_unavailable_reason(); !why.empty())
    return Offer::refused(std::move(why));
  return cuda_mixture_offer(problem, members, typical);
#else
  return Offer::refused("built without the CUDA toolkit");
#endif
}

std::unique_ptr<MixtureEngine> make_mixture_engine(const MixtureProblem& problem, Device device,
                                                   const EngineOptions& options) {
  make_ellipsoid(problem.kernel, problem.frame);  // throws unless it is positive definite
  if (device == Device::cpu) return make_cpu_mixture(problem, options);
#if SKDE_HAS_CUDA
  if (const std::string why = cuda_unavailable_reason(); why.empty())
    return make_cuda_mixture(problem, options);
#endif
  throw Error(ErrorKind::resources, "no GPU can be used for the mixture",
              {"device", "use the CPU, with `device=cpu`"});
}

}  // namespace skde
