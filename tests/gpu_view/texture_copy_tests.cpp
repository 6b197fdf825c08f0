#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <memory>
#include <utility>

#include "core/cloud/synthetic_cloud.hpp"
#include "estimate/session.hpp"
#include "estimate/stream/buffer_pool.hpp"
#include "gpu/device_info.hpp"
#include "support/skipped_test.hpp"
#include "viewer/volume/cuda_texture_copy.hpp"
#include "viewer/volume/density_transfer.hpp"
#include "viewer/window/headless_context.hpp"

using namespace skde;
using namespace skde::view;

namespace {

/// Returns a context on the card that computes; if there is none, prints why and returns null.
std::unique_ptr<HeadlessContext> shared_context() {
  std::unique_ptr<HeadlessContext> context;
  std::string reason = gpu::unavailable_reason();
  if (reason.empty()) {
    context = std::make_unique<HeadlessContext>();
    reason = CudaTextureCopy::refusal(0);
  }
  return test::skipped(reason) ? nullptr : std::move(context);
}

DensityRequest request_for(std::int64_t cells, double h) {
  DensityRequest request;
  request.grid.bounds = benchmark_box();
  request.grid.dims = {cells, cells + 3, cells - 5};
  request.bandwidth.bandwidth = h;
  request.engine = "cuda-span";
  return request;
}

bool same_bits(const Volume& a, const Volume& b) {
  return std::ranges::equal(a.values<float>(), b.values<float>(), [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

}  // namespace

TEST_CASE("the texture holds the engine's volume bit for bit") {
  const auto context = shared_context();
  if (!context) return;
  NoProgress silent;
  Session session;
  session.open(make_five_gaussians(1, 0, 20000));
  DensityTransfer transfer(0);
  VolumeTexture texture;
  for (const std::int64_t cells : {48, 48, 65, 32}) {
    Density density = session.compute(request_for(cells, 0.5), silent);
    transfer.fill(*density.values(), texture);
    CHECK(transfer.path() == "CUDA-GL interop");
    CHECK(transfer.reason().empty());
    CHECK(texture.grid() == density.grid());
    const Volume shown = texture.read_back();
    CHECK(shown.maximum() > 0);
    CHECK(same_bits(shown, density.values()->take_volume()));
  }
}

TEST_CASE("without interop the same values go by host memory") {
  const auto context = shared_context();
  if (!context) return;
  NoProgress silent;
  Session session;
  session.open(make_five_gaussians(1, 0, 5000));
  Density density = session.compute(request_for(40, 0.5), silent);
  DensityTransfer transfer(0, false);
  VolumeTexture texture;
  transfer.fill(*density.values(), texture);
  CHECK(transfer.path() == "from host memory");
  CHECK(transfer.reason() == "--no-interop was given");
  CHECK(same_bits(texture.read_back(), density.values()->take_volume()));
}

TEST_CASE("a thousand densities leave the card's memory where it was") {
  const auto context = shared_context();
  if (!context) return;
  NoProgress silent;
  Session session;
  session.open(make_five_gaussians(1, 0, 20000));
  DensityTransfer transfer(0);
  VolumeTexture texture;
  std::size_t settled = 0;
  for (int k = 0; k < 1000; ++k) {
    Density density = session.compute(request_for(64, 0.3 + 0.0005 * k), silent);
    transfer.fill(*density.values(), texture);
    if (k == 20) settled = gpu::free_memory();
  }
  CHECK(transfer.path() == "CUDA-GL interop");
  // Other programs may use the card too; leaks would add up to a thousand volumes.
  constexpr std::size_t kSlack = std::size_t{8} << 20;
  CHECK(gpu::free_memory() + kSlack > settled);
}
