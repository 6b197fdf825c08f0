#include "estimate/read/pilot_samples.hpp"

#include <algorithm>

#include "core/report/error.hpp"

namespace skde {

double shift_error(const DensityRequest& request) {
  constexpr double kUsual = 3e-6, kLeast = 1e-10;
  if (!request.sharpen) return 0;
  return request.tolerance > 0 ? std::clamp(request.tolerance, kLeast, kUsual) : kUsual;
}

PilotSpec pilot_spec(const DensityRequest& request, const Kernel& kernel, const Grid& grid) {
  const bool bounded = has_boundary(request.boundaries);
  return {kernel,
          request.adaptive,
          request.boundaries,
          bounded ? grid : Grid{},
          shift_error(request),
          request.gpu()};
}

void require_pilot(const DensityRequest& request, bool shaped) {
  if (request.adaptive && request.sharpen)
    throw Error(ErrorKind::usage,
                "samples are sharpened for one common kernel, and adaptive bandwidths differ",
                {"sharpen", "leave out `sharpen` or `adaptive`"});
  if (!shaped) return;
  if (request.adaptive)
    throw Error(ErrorKind::usage,
                "the samples have per-sample bandwidths, which cannot also be adaptive",
                {"adaptive", "leave out `adaptive` or `widths`"});
  throw Error(ErrorKind::usage,
              "the samples have per-sample bandwidths, and are sharpened for a common one only",
              {"sharpen", "leave out `sharpen`, or use `widths=none`"});
}

PilotSamples::PilotSamples(const SamplesView& points, const PilotSpec& spec, const Kernel& kernel)
    : points_(points), kernel_(kernel) {
  if (!has_boundary(spec.boundaries)) return;
  images_.emplace(spec.boundaries, Problem{kernel, spec.grid}, kernel.half_extents());
  counts_.resize(points.size());
  places_.reserve(points.xyz.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    Samples own;  // the first image of a sample in the box is the sample itself
    images_->append(points, i, 0, BoundaryImages::Which::all, own);
    counts_[i] = own.size() > 0;
    const double* const place = counts_[i] ? own.xyz.data() : &points.xyz[3 * i];
    places_.insert(places_.end(), place, place + 3);
  }
}

void PilotSamples::for_each(
    const std::function<void(const Kernel&, const SamplesView&)>& use) const {
  if (!images_) return use(kernel_, points_);
  for (std::size_t pass = 0; pass < images_->passes(); ++pass) {
    Samples sources;
    for (std::size_t i = 0; i < points_.size(); ++i)
      images_->append(points_, i, pass, BoundaryImages::Which::all, sources);
    Kernel kernel = kernel_;
    kernel.H = images_->matrix(pass);
    if (sources.size() > 0) use(kernel, sources.view());
  }
}

}  // namespace skde
