#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "core/cloud/synthetic_cloud.hpp"
#include "estimate/session.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "gpu/device_info.hpp"
#include "support/catch.hpp"
#include "support/skipped_test.hpp"
#include "viewer/layers/volume/cuda_texture_copy.hpp"
#include "viewer/layers/volume/density_transfer.hpp"
#include "viewer/window/window.hpp"

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

using Dims = std::array<std::int64_t, 3>;

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

std::vector<float> ranges_of(const BrickGrid& bricks) {
  const glm::ivec3 size = bricks.bricks();
  std::vector<float> ranges(2 * static_cast<std::size_t>(size.x * size.y * size.z));
  glGetTextureImage(bricks.ranges().id(), 0, GL_RG, GL_FLOAT,
                    static_cast<GLsizei>(ranges.size() * sizeof(float)), ranges.data());
  return ranges;
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
  BrickGrid bricks;
  for (const std::int64_t cells : {48, 48, 65, 32}) {
    Density density = session.compute(request_for(cells, 0.5), silent);
    transfer.fill(*density.values(), texture, bricks);
    CHECK(transfer.path() == "CUDA-GL interop");
    CHECK(transfer.reason().empty());
    CHECK(texture.grid() == density.grid());
    const Volume shown = texture.read_back();
    CHECK(shown.maximum() > 0);
    CHECK(same_bits(shown, density.values()->take_volume()));
  }
}

TEST_CASE("the pass over the texture finds what the shaders find in it") {
  const auto context = shared_context();
  if (!context) return;
  NoProgress silent;
  Session session;
  std::random_device random;
  session.open(make_five_gaussians(random(), 0, 20000));
  DensityTransfer transfer(0);
  VolumeTexture texture;
  BrickGrid bricks;
  for (const std::int64_t cells : {7, 48, 129, 250}) {
    CAPTURE(cells);
    Density density = session.compute(request_for(cells, 0.3 + 0.001 * (random() % 1000)), silent);
    const Histogram histogram = transfer.fill(*density.values(), texture, bricks);
    REQUIRE(transfer.path() == "CUDA-GL interop");
    BrickGrid expected;
    expected.update(texture);
    CHECK(bricks.positive_range() == expected.positive_range());
    CHECK(ranges_of(bricks) == ranges_of(expected));
    const Histogram counted = VolumeHistogram().count(texture, expected.positive_range());
    CHECK(histogram.axis == counted.axis);
    // Rounding moves a few values across the edge of a bin.
    std::int64_t found = 0, reached = 0, worst = 0;
    for (std::size_t bin = 0; bin < Histogram::kBins; ++bin) {
      found += static_cast<std::int64_t>(histogram.counts[bin]);
      reached += static_cast<std::int64_t>(counted.counts[bin]);
      worst = std::max(worst, std::abs(found - reached));
    }
    CHECK(found == reached);
    CHECK(static_cast<double>(worst) <= 3 + 1e-4 * static_cast<double>(reached));
  }
}

TEST_CASE("a second texture has the means of 2^3 cells") {
  const auto context = shared_context();
  if (!context) return;
  NoProgress silent;
  Session session;
  session.open(make_five_gaussians(2, 0, 20000));
  DensityTransfer transfer(0);
  VolumeTexture texture;
  BrickGrid bricks;
  DensityRequest request = request_for(0, 0.6);
  for (const auto& dims : {Dims{34, 18, 150}, Dims{150, 34, 18}, Dims{34, 18, 151}}) {
    request.grid.dims = dims;
    Density density = session.compute(request, silent);
    transfer.fill(*density.values(), texture, bricks);
    REQUIRE(texture.has_means() == (dims[2] % 2 == 0));
    if (!texture.has_means()) continue;
    const Volume shown = texture.read_back();
    const auto [nx, ny, nz] = dims;
    std::vector<float> means(static_cast<std::size_t>(nx * ny * nz / 8));
    glGetTextureImage(texture.means().id(), 0, GL_RED, GL_FLOAT,
                      static_cast<GLsizei>(means.size() * sizeof(float)), means.data());
    std::vector<double> sums(means.size());
    for (std::int64_t cell = 0; cell < nx * ny * nz; ++cell) {
      const std::int64_t x = cell % nx, y = cell / nx % ny, z = cell / (nx * ny);
      sums[static_cast<std::size_t>(x / 2 + nx / 2 * (y / 2 + ny / 2 * (z / 2)))] +=
          shown.values<float>()[static_cast<std::size_t>(cell)];
    }
    for (std::size_t i = 0; i < means.size(); ++i)
      REQUIRE(means[i] == Approx(sums[i] / 8).epsilon(1e-5).margin(1e-9 * shown.maximum()));
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
  BrickGrid bricks;
  transfer.fill(*density.values(), texture, bricks);
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
  BrickGrid bricks;
  std::size_t settled = 0;
  for (int k = 0; k < 1000; ++k) {
    Density density = session.compute(request_for(64, 0.3 + 0.0005 * k), silent);
    transfer.fill(*density.values(), texture, bricks);
    if (k == 20) settled = gpu::free_memory();
  }
  CHECK(transfer.path() == "CUDA-GL interop");
  // Other programs may use the card too; leaks would add up to a thousand volumes.
  constexpr std::size_t kSlack = std::size_t{8} << 20;
  CHECK(gpu::free_memory() + kSlack > settled);
}
