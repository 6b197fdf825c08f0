#include "io/points/proj_transform.hpp"

#include <stdexcept>
#include <utility>

#include "core/error.hpp"
#if SKDE_HAS_PROJ
#include <proj.h>
#endif

namespace skde::io {

#if SKDE_HAS_PROJ

struct EarthProjection::Step {
  std::unique_ptr<PJ_CONTEXT, PJ_CONTEXT* (*)(PJ_CONTEXT*)> context{proj_context_create(),
                                                                    proj_context_destroy};
  std::unique_ptr<PJ, PJ* (*)(PJ*)> projection{nullptr, proj_destroy};
};

void require_projections() {}

EarthProjection::EarthProjection(const std::string& step) : step_(std::make_unique<Step>()) {
  step_->projection.reset(proj_create(step_->context.get(), step.c_str()));
  if (!step_->projection)
    throw std::runtime_error("PROJ does not know '" + step + "'; skde needs PROJ 8 or later");
}

void EarthProjection::apply(std::span<double> xyz) const {
  constexpr std::size_t kStride = 3 * sizeof(double);
  const std::size_t places = xyz.size() / 3;
  if (places == 0) return;
  proj_trans_generic(step_->projection.get(), PJ_FWD, &xyz[0], kStride, places, &xyz[1], kStride,
                     places, &xyz[2], kStride, places, nullptr, 0, 0);
}

#else

struct EarthProjection::Step {};

void require_projections() {
  throw Error(ErrorKind::unsupported, "this build has no PROJ, which makes lengths of degrees",
              {"geographic", "configure with SKDE_WITH_PROJ=ON"});
}

EarthProjection::EarthProjection(const std::string&) { require_projections(); }

void EarthProjection::apply(std::span<double>) const {}

#endif

EarthProjection::EarthProjection(EarthProjection&&) noexcept = default;
EarthProjection& EarthProjection::operator=(EarthProjection&&) noexcept = default;
EarthProjection::~EarthProjection() = default;

}  // namespace skde::io
