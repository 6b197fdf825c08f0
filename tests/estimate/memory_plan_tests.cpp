#include "estimate/memory_plan.hpp"

#include <catch2/catch.hpp>

#include "core/error.hpp"
#include "engines/registry.hpp"

using namespace skde;

namespace {

/// An engine that does nothing but have room for so many bytes of volume.
class RoomyEngine final : public Engine {
 public:
  explicit RoomyEngine(std::int64_t capacity) : capacity_(capacity) {}
  const EngineTraits& traits() const override { return engine_table()[0].traits; }
  StageTimes load(const PointsView&) override { return {}; }
  std::int64_t volume_capacity(std::int64_t samples) const override {
    return capacity_ - 100 * samples;
  }
  Moments moments() override { return {}; }
  StageTimes prepare(const DensityProblem&) override { return {}; }
  std::unique_ptr<DensityBuffer> make_buffer() override { return nullptr; }
  StageTimes run(DensityBuffer&, Progress&) override { return {}; }
  std::string launch_policy() const override { return ""; }

 private:
  std::int64_t capacity_;
};

const Grid kGrid{{0, 0, 0}, {1, 1, 2}, {10, 10, 37}};  // slices of 400 bytes in float

}  // namespace

TEST_CASE("A volume that fits is one slab") {
  const MemoryPlan plan = plan_memory(RoomyEngine(14800), kGrid, Precision::f32, 0, 0);
  CHECK(plan.slabs == 1);
  CHECK(plan.slab_slices == 37);
}

TEST_CASE("Slabs cover the volume, and none is larger than what fits") {
  for (const std::int64_t capacity : {400, 799, 800, 4000, 5000, 14799}) {
    INFO(capacity);
    const MemoryPlan plan = plan_memory(RoomyEngine(capacity), kGrid, Precision::f32, 0, 0);
    CHECK(plan.slabs > 1);
    CHECK(plan.slab_slices * 400 <= capacity);
    CHECK(plan.slab_slices * plan.slabs >= 37);
    CHECK(plan.slab_slices * (plan.slabs - 1) < 37);
  }
}

TEST_CASE("Samples take room from the volume; not even a slice is an error") {
  CHECK(plan_memory(RoomyEngine(14800), kGrid, Precision::f32, 1, 0).slabs == 2);
  CHECK(plan_memory(RoomyEngine(14800), kGrid, Precision::f32, 100, 1).slabs == 2);
  CHECK_THROWS_AS(plan_memory(RoomyEngine(399), kGrid, Precision::f32, 0, 0), Error);
  CHECK_THROWS_AS(plan_memory(RoomyEngine(400), kGrid, Precision::f64, 0, 0), Error);
}

TEST_CASE("Parts shrink with the limit, and a limit below the volume is refused") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {512, 512, 512}};
  const std::int64_t gib = std::int64_t{1} << 30;
  const std::int64_t at_ease = samples_at_a_time(grid, Precision::f32, 8 * gib);
  const std::int64_t tight = samples_at_a_time(grid, Precision::f32, gib);
  CHECK(at_ease == std::int64_t{1} << 22);
  CHECK(tight < at_ease);
  CHECK(tight > 100000);
  CHECK_THROWS_AS(samples_at_a_time(grid, Precision::f32, gib / 2), Error);
}

TEST_CASE("A slab is the slices of its grid") {
  const Grid slab = slab_of(kGrid, 5, 3);
  CHECK(slab.dims == std::array<std::int64_t, 3>{10, 10, 3});
  for (std::int64_t k = 0; k < 3; ++k) CHECK(slab.centre(1, 2, k) == kGrid.centre(1, 2, k + 5));
}
