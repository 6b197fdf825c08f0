#include "estimate/values/memory_plan.hpp"

#include <algorithm>

#include "core/report/error.hpp"
#include "estimate/values/density_setup.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using test::thrown_error;

namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20, kGiB = std::int64_t{1} << 30;
const Grid kGrid{{0, 0, 0}, {1, 1, 2}, {10, 10, 37}};  // 400 bytes per slice in float

/// A question with ample memory.
MemoryQuestion roomy(const Grid& grid) {
  MemoryQuestion question;
  question.grid = grid;
  question.host_limit = 1000 * kGiB;
  question.device_limit = 1000 * kGiB;
  return question;
}

/// Plans for a device with this many bytes for values, which each take 4 bytes.
MemoryPlan plan_on_device(std::int64_t bytes, std::int64_t samples = 0) {
  MemoryQuestion question = roomy(kGrid);
  question.on_device = true;
  question.samples = samples;
  question.device = {1000, 24, 76, 4};
  question.device_limit = 1000 + bytes;
  return plan_memory(question);
}

}  // namespace

TEST_CASE("A volume that fits is one slab") {
  const MemoryPlan plan = plan_on_device(14800);
  CHECK(plan.slabs == 1);
  CHECK(plan.slab_slices == 37);
  CHECK(plan.is_whole());
  CHECK(plan.part_samples == 0);
}

TEST_CASE("Slabs cover the volume, and none is larger than what fits") {
  for (const std::int64_t capacity : {400, 799, 800, 4000, 5000, 14799}) {
    INFO(capacity);
    const MemoryPlan plan = plan_on_device(capacity);
    CHECK(plan.slabs > 1);
    CHECK(plan.slab_slices * 400 <= capacity);
    CHECK(plan.slab_slices * plan.slabs >= 37);
    CHECK(plan.slab_slices * (plan.slabs - 1) < 37);
  }
}

TEST_CASE("Samples take room from the volume; not even a slice is an error") {
  CHECK(plan_on_device(14800, 1).slabs == 2);
  CHECK(plan_on_device(14800 + 100 * 50, 50).slabs == 1);
  const Error error = thrown_error([] { plan_on_device(399); });
  CHECK(error.kind() == ErrorKind::resources);
  CHECK(error.parameter() == "device_memory");
}

TEST_CASE("Parts shrink with the limit, then slabs; a limit below a slice is refused") {
  MemoryQuestion question = roomy({{0, 0, 0}, {1, 1, 1}, {512, 512, 512}});
  question.in_memory = false;
  question.use = VolumeUse::streamed;
  question.samples = 100000000;
  question.host = {0, 0, 64, 0};
  question.host_limit = 8 * kGiB;
  const MemoryPlan at_ease = plan_memory(question);
  CHECK(at_ease.part_samples == std::int64_t{1} << 22);
  CHECK(at_ease.is_whole());
  question.host_limit = 750 * kMiB;
  const MemoryPlan tight = plan_memory(question);
  CHECK(tight.is_whole());  // one pass per slab costs more than small parts
  CHECK(tight.part_samples < at_ease.part_samples);
  CHECK(tight.part_samples > 100000);
  CHECK(tight.host_bytes <= question.host_limit);
  question.host_limit = 400 * kMiB;
  const MemoryPlan cut = plan_memory(question);
  CHECK(cut.slabs > 1);
  CHECK(cut.host_bytes <= question.host_limit);
  question.use = VolumeUse::whole;
  const Error error = thrown_error([&] { plan_memory(question); });
  CHECK(error.kind() == ErrorKind::resources);
  CHECK(error.parameter() == "memory_limit");
}

TEST_CASE("What engines need besides is part of the plan") {
  MemoryQuestion question = roomy({{0, 0, 0}, {1, 1, 1}, {100, 100, 100}});
  question.samples = 1000;
  const std::int64_t plain = plan_memory(question).host_bytes;
  question.host = {5e6, 0, 1000, 2};
  CHECK(plan_memory(question).host_bytes == plain + 5000000 + 1000000 + 2000000);
  question.host_limit = plain + 5000000;
  CHECK_FALSE(fits_in_memory(question));
}

TEST_CASE("Volumes that are copied or put together are counted twice") {
  MemoryQuestion question = roomy({{0, 0, 0}, {1, 1, 1}, {100, 100, 100}});
  const std::int64_t once = plan_memory(question).host_bytes;
  question.use = VolumeUse::copied;
  CHECK(plan_memory(question).host_bytes == once + 4000000);
}

TEST_CASE("Grids that nothing can hold are refused before anything is read") {
  GridAhead ahead;
  CHECK_NOTHROW(require_room(ahead, Precision::f32, VolumeUse::whole, kGiB));
  ahead.dims = {1024, 1024, 1024};
  CHECK_NOTHROW(require_room(ahead, Precision::f32, VolumeUse::streamed, kGiB));
  CHECK_THROWS_AS(require_room(ahead, Precision::f32, VolumeUse::whole, kGiB), Error);
  ahead.dims = {2000000000, 2000000000, 2000000000};
  const Error error =
      thrown_error([&] { require_room(ahead, Precision::f64, VolumeUse::streamed, kGiB); });
  CHECK(error.kind() == ErrorKind::resources);
  CHECK(error.parameter() == "dims");
}

TEST_CASE("A slab is the slices of its grid") {
  const Grid slab = slab_of(kGrid, 5, 3);
  CHECK(slab.dims == std::array<std::int64_t, 3>{10, 10, 3});
  for (std::int64_t k = 0; k < 3; ++k) CHECK(slab.centre(1, 2, k) == kGrid.centre(1, 2, k + 5));
}

TEST_CASE("What takes the slabs has room of its own in the plan") {
  MemoryQuestion question = roomy({{0, 0, 0}, {1, 1, 1}, {1024, 1024, 512}});  // 4 MiB per slice
  question.use = VolumeUse::streamed;
  question.host_limit = kProgramBytes + 400 * kMiB;
  question.samples = 1;
  const MemoryPlan plain = plan_memory(question);
  question.sink_bytes = 200 * kMiB;
  const MemoryPlan beside = plan_memory(question);
  CHECK(plain.slab_slices > 3 * beside.slab_slices / 2);
  CHECK(beside.host_bytes >= kProgramBytes + 200 * kMiB);
  CHECK(beside.host_bytes <= question.host_limit);
  question.sink_bytes = 500 * kMiB;
  const Error error = thrown_error([&] { plan_memory(question); });
  CHECK(error.kind() == ErrorKind::resources);
  CHECK(std::string(error.what()).find("projections") != std::string::npos);
  CHECK(std::string(error.what()).find("`picture`") != std::string::npos);
}
