// Densities in a box of a file that has an index: only its blocks that reach the box are read.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "core/cloud/synthetic_cloud.hpp"
#include "estimate/density_facts.hpp"
#include "estimate/session.hpp"
#include "io/npy_header.hpp"
#include "io/points/row_index.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Spreads the lowest ten bits, with two zeros between them.
std::uint32_t spread(std::uint32_t bits) {
  std::uint32_t out = 0;
  for (int bit = 0; bit < 10; ++bit) out |= (bits >> bit & 1u) << (3 * bit);
  return out;
}

std::uint32_t gathered(std::uint32_t code) {
  std::uint32_t out = 0;
  for (int bit = 0; bit < 10; ++bit) out |= (code >> (3 * bit) & 1u) << bit;
  return out;
}

/// Returns five Gaussians in Morton order of cells in [-8, 8]^3.
std::vector<double> ordered_cloud(std::size_t samples) {
  const std::vector<double> xyz = make_five_gaussians(3, 0, samples).xyz;
  std::vector<std::pair<std::uint32_t, std::size_t>> order;
  for (std::size_t i = 0; i < samples; ++i) {
    std::uint32_t code = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const double cell = std::clamp((xyz[3 * i + a] + 8) * 16, 0.0, 255.0);
      code |= spread(static_cast<std::uint32_t>(cell)) << a;
    }
    order.emplace_back(code, i);
  }
  std::ranges::sort(order);
  std::vector<double> sorted;
  for (const auto& [code, i] : order)
    sorted.insert(sorted.end(), {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]});
  return sorted;
}

/// Writes a cloud with its index, and returns its path.
std::string indexed_file(const TemporaryFolder& folder, const std::vector<double>& xyz,
                         std::uint64_t rows_a_block) {
  std::string path = folder.path("cloud.npy");
  io::write_npy(path, xyz, {static_cast<std::int64_t>(xyz.size() / 3), 3});
  io::RowIndexBuilder builder(rows_a_block);
  builder.add(xyz);
  io::write_row_index(path, builder.finish(std::filesystem::file_size(path)));
  return path;
}

Session session_of(const CloudFiles& files, std::int64_t memory_limit = 0) {
  Session session({.memory_limit = memory_limit, .keeps_samples = false});
  session.open_in_parts(files);
  return session;
}

std::pair<Volume, DensityFacts> computed(const CloudFiles& files, const DensityRequest& request,
                                         std::int64_t memory_limit = 0) {
  Density density = session_of(files, memory_limit).compute(request);
  return {density.take_volume(), density.facts()};
}

/// Computes a density with the index of the file, and once it is gone, and requires the same bits.
/// Returns the facts with the index.
DensityFacts same_bits(const std::string& path, const DensityRequest& request,
                       std::int64_t memory_limit = 0) {
  const auto [boxed, facts] = computed({{path}}, request, memory_limit);
  const std::string index = io::description_path(path), hidden = index + ".hidden";
  std::filesystem::rename(index, hidden);
  const auto [whole, all] = computed({{path}}, request, memory_limit);
  std::filesystem::rename(hidden, index);
  REQUIRE(facts.blocks);
  CHECK_FALSE(all.blocks);
  CHECK(facts.engine == all.engine);
  CHECK(facts.problem == all.problem);
  CHECK(facts.bandwidth.H == all.bandwidth.H);
  CHECK(facts.counts == all.counts);
  CHECK(facts.columns == all.columns);
  CHECK(facts.memory.part_samples == all.memory.part_samples);
  CHECK(facts.moments.total_weight() == all.moments.total_weight());
  CHECK(facts.moments.effective_samples() == all.moments.effective_samples());
  CHECK(facts.moments.bounds() == all.moments.bounds());
  CHECK(facts.in_box.outside == all.in_box.outside);
  CHECK(facts.mass_in_box == Approx(all.mass_in_box).epsilon(1e-3));
  CHECK(facts.peak == all.peak);
  CHECK(boxed.bytes() == whole.bytes());
  const std::size_t bytes = static_cast<std::size_t>(boxed.bytes());
  CHECK(std::memcmp(boxed.data(), whole.data(), bytes) == 0);
  return facts;
}

DensityRequest request_in(const Box& box, std::int64_t cells = 24) {
  DensityRequest request;
  request.grid.bounds = box;
  request.grid.dims = {cells, cells, cells};
  return request;
}

constexpr Box kCorner{{0.3, -0.2, 0.1}, {1.4, 0.9, 1.3}};

}  // namespace

TEST_CASE("The density of a box has the bits of the whole with an index", "[index]") {
  const TemporaryFolder folder;
  const std::string path = indexed_file(folder, ordered_cloud(60000), 512);
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const char* const engine : {"", "span", "tile"}) {
      DensityRequest request = request_in(kCorner);
      request.precision = precision;
      request.engine = engine;
      const DensityFacts facts = same_bits(path, request);  // Silverman's bandwidth
      CHECK(facts.blocks->read.size() < facts.blocks->blocks);
      request.bandwidth.bandwidth = Vec3{0.1, 0.12, 0.08};
      CHECK(same_bits(path, request).blocks->share() < 0.5);
    }
}
