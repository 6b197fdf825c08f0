#include "bench/ceilings/ceiling_loops.cuh"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gpu/device_buffer.hpp"
#include "gpu/device_fixture.hpp"
#include "gpu/stream.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr std::int64_t kCells = 1 << 18;
constexpr int kBlock = 256;

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
  kernels::coalesced_loop<<<kCells / kBlock, kBlock, 0, stream.get()>>>(volume.data(), kCells, 5);
  CHECK(values_of(volume, stream) == std::vector<float>(kCells, 5.0F));

  volume.clear(stream);
  kernels::random_loop<<<8 * kCells / kBlock, kBlock, 0, stream.get()>>>(volume.data(), kCells);
  const std::vector<float> random = values_of(volume, stream);
  CHECK(std::accumulate(random.begin(), random.end(), 0.0) == 8.0 * kCells);
  CHECK(*std::max_element(random.begin(), random.end()) < 40);  // about 8 per cell, not all in one

  std::vector<float4> from(4 * kBlock);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = {1.0F * static_cast<float>(i), 2, 3, 4};
  gpu::DeviceBuffer<float4> source(from.size()), target(from.size());
  source.upload(from, stream);
  kernels::copy_loop<<<4, kBlock, 0, stream.get()>>>(source.data(), target.data());
  std::vector<float4> copied(from.size());
  target.download(copied, stream);
  CHECK(copied.back().x == 4 * kBlock - 1);
  CHECK(copied[500].w == 4);

  gpu::DeviceBuffer<float> sums(2 * kBlock);
  kernels::fma_loop<<<2, kBlock, 0, stream.get()>>>(sums.data(), 200, 0.5F);
  // x / 2 + 1/4 converges to 1/2 in each of the chains.
  CHECK(values_of(sums, stream) == std::vector<float>(sums.size(), 0.5F * kernels::kFmaChains));
}
