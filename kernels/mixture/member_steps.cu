#include "gpu/check.hpp"
#include "kernels/mixture/member_moments.hpp"
#include "kernels/warp.cuh"

/// Steps between the sums: members are moved, and cotangents derived from values.
namespace skde::kernels {
namespace {

constexpr int kBlock = 256;

unsigned blocks_for(std::size_t items) {
  return static_cast<unsigned>((items + kBlock - 1) / kBlock);
}

__global__ void sample_kernel(const Member* members, std::size_t count, Symmetric3 kernel,
                              MemberSamples to) {
  const std::size_t k = static_cast<std::size_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= count) return;
  const double* const s = to.spacing;
  for (int axis = 0; axis < 3; ++axis)
    to.xyz[3 * k + axis] = to.first_centre[axis] + members[k].mean[axis] * s[axis];
  to.weights[k] = exp(members[k].log_mass);
  const Symmetric3 m = covariance_of(members[k], kernel);
  double* const shape = to.shapes + 6 * k;
  shape[0] = m.xx * s[0] * s[0];
  shape[1] = m.xy * s[0] * s[1];
  shape[2] = m.xz * s[0] * s[2];
  shape[3] = m.yy * s[1] * s[1];
  shape[4] = m.yz * s[1] * s[2];
  shape[5] = m.zz * s[2] * s[2];
}

__global__ void update_kernel(Member* members, const MemberMoments* moments, std::size_t count,
                              Symmetric3 kernel, bool maximises, AdamStep step,
                              double total_weight) {
  const std::size_t k = static_cast<std::size_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= count) return;
  Member member = members[k];
  if (maximises)
    maximise_member(member, kernel, moments[k], total_weight);
  else
    move_member(member, kernel, moments[k], step);
  members[k] = member;
}

template <class Real>
__global__ void derive_kernel(CotangentRule rule, const Real* values, const Real* given,
                              std::size_t count, Real* cotangents, double* losses) {
  __shared__ double of_warp[kBlock / 32];
  double sum = 0;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kBlock + threadIdx.x; i < count;
       i += static_cast<std::size_t>(kLossBlocks) * kBlock) {
    const Cotangent of =
        cotangent_of(rule, static_cast<double>(values[i]), static_cast<double>(given[i]));
    cotangents[i] = static_cast<Real>(of.value);
    sum += of.loss;
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  double total = 0;
  for (const double part : of_warp) total += part;
  losses[blockIdx.x] = total;
}

}  // namespace

void write_member_samples(const Member* members, std::size_t count, const Symmetric3& kernel,
                          const MemberSamples& to, cudaStream_t stream) {
  sample_kernel<<<blocks_for(count), kBlock, 0, stream>>>(members, count, kernel, to);
  gpu::check_launch("write members as samples");
}

void update_members(Member* members, const MemberMoments* moments, std::size_t count,
                    const Symmetric3& kernel, bool maximises, const AdamStep& step,
                    double total_weight, cudaStream_t stream) {
  update_kernel<<<blocks_for(count), kBlock, 0, stream>>>(members, moments, count, kernel,
                                                          maximises, step, total_weight);
  gpu::check_launch("move the members");
}

template <class Real>
void derive_cotangents(CotangentRule rule, const Real* values, const Real* given, std::size_t count,
                       Real* cotangents, double* losses, cudaStream_t stream) {
  derive_kernel<<<kLossBlocks, kBlock, 0, stream>>>(rule, values, given, count, cotangents, losses);
  gpu::check_launch("derive the cotangents");
}

template void derive_cotangents(CotangentRule, const float*, const float*, std::size_t, float*,
                                double*, cudaStream_t);
template void derive_cotangents(CotangentRule, const double*, const double*, std::size_t, double*,
                                double*, cudaStream_t);

}  // namespace skde::kernels
