#include "support/cases/random_request.hpp"

#include <limits>

#include "core/kernel/with_profile.hpp"
#include "io/points/columns/geographic.hpp"

namespace skde::test {

CloudFiles random_files(Choice& choose) {
  CloudFiles cloud;
  cloud.paths = {choose.text(), choose.text()};
  if (choose.coin()) cloud.columns.coordinates = {choose.text(), "2", "3"};
  cloud.columns.weight = choose.text();
  if (choose.coin()) cloud.columns.widths = {choose.text()};
  if (choose.coin()) cloud.columns.where = "a == 'b' || c < 3";
  if (choose.coin()) cloud.columns.geographic = io::parse_geographic("tangent:1.5:-20,depth,m");
  if (choose.coin() && cloud.columns.geographic.wanted()) cloud.columns.geographic.units = "m";
  cloud.columns.width_form = choose.word(io::kWidthForms);
  cloud.non_finite = choose.word(io::kNonFinite);
  return cloud;
}

DensityRequest random_request(Choice& choose) {
  DensityRequest request;
  request.kernel =
      kKernelFunctions[static_cast<std::size_t>(choose.whole(0, std::ssize(kKernelFunctions) - 1))];
  BandwidthSpec& spec = request.bandwidth;
  switch (choose.whole(0, 4)) {
    case 0:
      spec.bandwidth = BandwidthRule::scott;
      break;
    case 1:
      spec.bandwidth = choose.positive();
      break;
    case 2:
      spec.bandwidth = choose.lengths();
      break;
    case 3:
      spec.bandwidth = choose.matrix();
      break;
    default:
      break;
  }
  spec.form = choose.word(kCovarianceForms);
  if (choose.coin()) spec.covariance = choose.matrix();
  spec.regularize = choose.real(0, 2);
  if (choose.coin()) {
    const Vec3 lower = choose.place();
    request.grid.bounds = Box{lower, lower + Vec3{1, 2, 3}};
  } else {
    request.grid.whole_cloud = choose.coin();
  }
  if (choose.coin()) request.grid.dims = choose.dims();
  if (choose.coin()) request.grid.dims = {choose.whole(1, 4000), 0, 0};
  if (choose.coin()) request.grid.spacing = choose.lengths();
  if (choose.coin()) request.like = Grid{choose.place(), choose.lengths(), choose.dims()};
  for (Boundary& boundary : request.boundaries) boundary = choose.word(kBoundaries);
  request.cells = choose.word(kCellValues);
  request.normalization = choose.word(kNormalizations);
  request.engine = choose.text();
  if (choose.coin()) request.device = choose.coin() ? Device::cpu : Device::cuda;
  EngineOptions& options = request.options;
  request.precision = choose.coin() ? Precision::f32 : Precision::f64;
  request.tolerance = choose.real(0, 0.1);
  request.keep_negatives = choose.coin();
  request.min_width = choose.real(0, 3);
  if (choose.coin()) request.adaptive = choose.real(0.01, 1);
  request.sharpen = choose.coin();
  options.threads = static_cast<int>(choose.whole(0, 4096));
  options.device = static_cast<int>(choose.whole(0, 7));
  if (choose.coin()) options.devices = {options.device, options.device + 8, 16};
  options.device_memory = choose.whole(0, std::numeric_limits<std::int64_t>::max());
  return request;
}

}  // namespace skde::test
