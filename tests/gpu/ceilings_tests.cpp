#include "bench/measure/ceiling_loops.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "gpu/device_buffer.hpp"
#include "gpu/device_fixture.hpp"
#include "gpu/stream.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr std::int64_t kCells = 1 << 18;

std::vector<float> values_of(const gpu::DeviceBuffer<float>& buffer, const gpu::Stream& stream) {
  std::vector<float> values(buffer.size());
  buffer.download(values, stream);
  return values;
}

}  // namespace

TEST_CASE("the loops that reach for ceilings do all of their work", "[gpu]") {
  if (skipped()) return;
  const gpu::Stream stream;
  gpu::DeviceBuffer<float> volume(kCells);
  volume.clear(stream);
  bench::coalesced_atomics_ceiling(volume.data(), kCells, 5, stream.get());
  CHECK(values_of(volume, stream) == std::vector<float>(kCells, 5.0F));

  volume.clear(stream);
  constexpr std::int64_t kAdditions = 8 * kCells + 3;
  bench::random_atomics_ceiling(volume.data(), kCells, kAdditions, stream.get());
  const std::vector<float> random = values_of(volume, stream);
  CHECK(std::accumulate(random.begin(), random.end(), 0.0) == static_cast<double>(kAdditions));

  std::vector<float4> from(1001);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = {1.0F * static_cast<float>(i), 2, 3, 4};
  gpu::DeviceBuffer<float4> source(from.size()), target(from.size());
  source.upload(from, stream);
  bench::copy_ceiling(source.data(), target.data(), 1001, stream.get());
  std::vector<float4> copied(from.size());
  target.download(copied, stream);
  CHECK(copied.back().x == 1000);
  CHECK(copied[500].w == 4);

  gpu::DeviceBuffer<float> sums(2 * bench::kFmaThreads);
  bench::fma_ceiling(sums.data(), 2, 200, stream.get());
  // x / 2 + 1/4 comes to 1/2, in each of the chains.
  CHECK(values_of(sums, stream) == std::vector<float>(sums.size(), 0.5F * bench::kFmaChains));
}
