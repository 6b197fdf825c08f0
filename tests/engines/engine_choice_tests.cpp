#include "engines/engine_choice.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.hpp"
#include "core/kernel_shape.hpp"
#include "engines/registry.hpp"

using namespace skde;

namespace {

bool gpu_is_here() {
  for (const EngineEntry& entry : engine_table())
    if (entry.traits.name == "cuda-chop-crop") return entry.unavailable().empty();
  return false;
}

/// Round kernels of this half extent, in cells, on a cube.
Workload work_of(std::int64_t samples, double half_extent, std::int64_t cells) {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {cells, cells, cells}};
  const double h = half_extent * half_extent;
  return {samples, false, KernelFunction::epanechnikov,
          make_ellipsoid(Symmetric3::diagonal(h, h, h), grid), grid};
}

}  // namespace

TEST_CASE("More samples, larger kernels and more cells are predicted to take longer") {
  for (const char* const engine : {"span", "cuda-chop-crop"}) {
    const double base = predicted_seconds(engine, work_of(100000, 8, 128), {});
    CHECK(predicted_seconds(engine, work_of(1000000, 8, 128), {}) > 2 * base);
    CHECK(predicted_seconds(engine, work_of(100000, 24, 128), {}) > 2 * base);
    CHECK(predicted_seconds(engine, work_of(100000, 8, 1024), {}) > base);
  }
  EngineOptions four;
  four.threads = 4;
  EngineOptions one;
  one.threads = 1;
  CHECK(predicted_seconds("span", work_of(100000, 8, 64), four) <
        0.3 * predicted_seconds("span", work_of(100000, 8, 64), one));
}

TEST_CASE("Engines that are not among the choices are never done") {
  for (const char* const engine : {"naive", "openmp", "cuda-naive"})
    CHECK(std::isinf(predicted_seconds(engine, work_of(10, 8, 16), {})));
  EngineOptions exact;
  exact.precision = Precision::f64;
  CHECK(std::isinf(predicted_seconds("cuda-span", work_of(10, 8, 16), exact)));
}

TEST_CASE("The choice can run here, and small cases do not wait for a GPU") {
  CHECK(choose_engine(work_of(1000, 4, 64), {}) == "span");
  CHECK(choose_engine(work_of(100000000, 30, 512), {}, Device::cpu) == "span");
  const std::string_view large = choose_engine(work_of(100000000, 30, 512), {});
  CHECK(large == (gpu_is_here() ? "cuda-span" : "span"));
  EngineOptions exact;
  exact.precision = Precision::f64;
  CHECK(choose_engine(work_of(100000000, 30, 512), exact) ==
        (gpu_is_here() ? "cuda-chop-crop" : "span"));
  if (gpu_is_here()) return;
  CHECK_THROWS_AS(choose_engine(work_of(1000, 4, 64), {}, Device::cuda), Error);
}
