#include "gpu/check.hpp"
#include "kernels/located_samples.hpp"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;

struct GridFrame {
  double lower[3], spacing[3];
  std::int32_t dims[3];
};

template <class Real>
__global__ void locate_kernel(DevicePoints points, GridFrame frame, double3 reach, double scale,
                              LocatedSample<Real>* located) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= points.count) return;
  const double half[3] = {reach.x, reach.y, reach.z};
  LocatedSample<Real> sample;
  bool meets = true;
  for (int axis = 0; axis < 3; ++axis) {
    const double at = (points.xyz[3 * i + axis] - frame.lower[axis]) / frame.spacing[axis] - 0.5;
    meets = meets && at + half[axis] > 0 && at - half[axis] < frame.dims[axis] - 1;
    // Clamped to one cell outside the grid, so that differences to its cells stay within 32 bits.
    const double cell = fmin(fmax(rint(at), -1.0), static_cast<double>(frame.dims[axis]));
    sample.cell[axis] = static_cast<std::int32_t>(cell);
    sample.offset[axis] = static_cast<Real>(at - cell);
  }
  const double weight = points.weights ? points.weights[i] : 1.0;
  sample.weight = meets ? static_cast<Real>(weight * scale) : Real(0);
  located[i] = sample;
}

}  // namespace

template <class Real>
void locate_samples(const DevicePoints& points, const Grid& grid,
                    const Ellipsoid<double>& ellipsoid, double scale, LocatedSample<Real>* located,
                    cudaStream_t stream) {
  if (points.count == 0) return;
  GridFrame frame{};
  for (int axis = 0; axis < 3; ++axis) {
    frame.lower[axis] = grid.lower[axis];
    frame.spacing[axis] = grid.spacing[axis];
    frame.dims[axis] = static_cast<std::int32_t>(grid.dims[axis]);
  }
  const auto blocks = static_cast<unsigned>((points.count + kBlock - 1) / kBlock);
  locate_kernel<Real><<<blocks, kBlock, 0, stream>>>(
      points, frame, make_double3(ellipsoid.rx, ellipsoid.ry, ellipsoid.sz), scale, located);
  gpu::check_launch("locate the samples");
}

template void locate_samples<float>(const DevicePoints&, const Grid&, const Ellipsoid<double>&,
                                    double, LocatedSample<float>*, cudaStream_t);
template void locate_samples<double>(const DevicePoints&, const Grid&, const Ellipsoid<double>&,
                                     double, LocatedSample<double>*, cudaStream_t);

}  // namespace skde::kernels
