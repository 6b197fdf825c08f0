#include "one_way/counted_calls.hpp"

#include <fcntl.h>

#include <algorithm>
#include <mutex>
#include <span>

#include "bandwidth/bandwidth.hpp"
#include "core/cloud/moments.hpp"
#include "core/grid.hpp"
#include "engines/offer_choice.hpp"

using namespace skde;

namespace {

std::mutex mutex;
test::CountedCalls counted;

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the linker's names
extern "C" {

Grid __real__ZN4skde9make_gridERKNS_8GridSpecERKNS_3BoxENS_4Vec3E(const GridSpec&, const Box&,
                                                                  Vec3);
Grid __wrap__ZN4skde9make_gridERKNS_8GridSpecERKNS_3BoxENS_4Vec3E(const GridSpec& spec,
                                                                  const Box& cloud, Vec3 support) {
  {
    const std::lock_guard lock(mutex);
    ++counted.grids;
  }
  return __real__ZN4skde9make_gridERKNS_8GridSpecERKNS_3BoxENS_4Vec3E(spec, cloud, support);
}

Moments __real__ZN4skde15compute_momentsERKNS_11SamplesViewEi(const SamplesView&, int);
Moments __wrap__ZN4skde15compute_momentsERKNS_11SamplesViewEi(const SamplesView& points,
                                                              int threads) {
  {
    const std::lock_guard lock(mutex);
    ++counted.moments;
    counted.moment_samples += points.size();
  }
  return __real__ZN4skde15compute_momentsERKNS_11SamplesViewEi(points, threads);
}

void __real__ZN4skde7Moments3addERKNS_11SamplesViewE(Moments*, const SamplesView&);
void __wrap__ZN4skde7Moments3addERKNS_11SamplesViewE(Moments* moments, const SamplesView& points) {
  {
    const std::lock_guard lock(mutex);
    counted.moment_samples += points.size();
  }
  __real__ZN4skde7Moments3addERKNS_11SamplesViewE(moments, points);
}

Bandwidth __real__ZN4skde16select_bandwidthERKNS_7MomentsERKNS_13BandwidthSpecENS_14KernelFunctionE(
    const Moments&, const BandwidthSpec&, KernelFunction);
Bandwidth __wrap__ZN4skde16select_bandwidthERKNS_7MomentsERKNS_13BandwidthSpecENS_14KernelFunctionE(
    const Moments& moments, const BandwidthSpec& spec, KernelFunction function) {
  {
    const std::lock_guard lock(mutex);
    ++counted.bandwidths;
  }
  return __real__ZN4skde16select_bandwidthERKNS_7MomentsERKNS_13BandwidthSpecENS_14KernelFunctionE(
      moments, spec, function);
}

std::vector<const EngineOffer*>
__real__ZN4skde13ranked_offersESt4spanIKNS_11EngineOfferELm18446744073709551615EEdRKNS_10EngineWishE(
    std::span<const EngineOffer>, double, const EngineWish&);
std::vector<const EngineOffer*>
__wrap__ZN4skde13ranked_offersESt4spanIKNS_11EngineOfferELm18446744073709551615EEdRKNS_10EngineWishE(
    std::span<const EngineOffer> offers, double tolerance, const EngineWish& wish) {
  {
    const std::lock_guard lock(mutex);
    ++counted.rankings;
  }
  return __real__ZN4skde13ranked_offersESt4spanIKNS_11EngineOfferELm18446744073709551615EEdRKNS_10EngineWishE(
      offers, tolerance, wish);
}

int __real_open(const char* path, int flags, mode_t mode);
int __wrap_open(const char* path, int flags, mode_t mode) {
  if ((flags & O_ACCMODE) == O_RDONLY) {
    const std::lock_guard lock(mutex);
    counted.openings.emplace_back(path);
  }
  return __real_open(path, flags, mode);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace skde::test {

std::size_t CountedCalls::openings_of(const std::string& path) const {
  return static_cast<std::size_t>(std::ranges::count(openings, path));
}

CountedCalls counted_calls() {
  const std::lock_guard lock(mutex);
  return counted;
}

void reset_counted_calls() {
  const std::lock_guard lock(mutex);
  counted = {};
}

}  // namespace skde::test
