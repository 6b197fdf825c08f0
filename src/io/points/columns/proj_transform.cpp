#include "io/points/columns/proj_transform.hpp"

#include <proj.h>

#include <cstddef>
#include <memory>
#include <stdexcept>

namespace skde::io {
namespace {

struct ProjStep {
  std::unique_ptr<PJ_CONTEXT, PJ_CONTEXT* (*)(PJ_CONTEXT*)> context{proj_context_create(),
                                                                    proj_context_destroy};
  std::unique_ptr<PJ, PJ* (*)(PJ*)> projection{nullptr, proj_destroy};
};

}  // namespace

PlaceTransform proj_transform(const std::string& step) {
  const auto proj = std::make_shared<ProjStep>();
  proj->projection.reset(proj_create(proj->context.get(), step.c_str()));
  if (!proj->projection)
    throw std::runtime_error("PROJ does not know '" + step + "'; skde needs PROJ 8 or later");
  return [proj](std::span<double> xyz) {
    constexpr std::size_t kStride = 3 * sizeof(double);
    const std::size_t places = xyz.size() / 3;
    if (places == 0) return;
    proj_trans_generic(proj->projection.get(), PJ_FWD, &xyz[0], kStride, places, &xyz[1], kStride,
                       places, &xyz[2], kStride, places, nullptr, 0, 0);
  };
}

}  // namespace skde::io
