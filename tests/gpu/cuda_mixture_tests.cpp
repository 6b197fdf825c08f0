#include "gpu/device_fixture.hpp"

#include "support/catch.hpp"
#include "support/mixture_contract.hpp"

using namespace skde;
using namespace skde::test;

TEST_CASE("CUDA: moments of a mixture are the sums over all cells and points", "[mixture]") {
  if (skipped()) return;
  for (std::uint64_t seed = 0; seed < 100; ++seed) check_mixture_moments(Device::cuda, seed);
}

TEST_CASE("CUDA: gradients of a mixture are the slopes of its values", "[mixture]") {
  if (skipped()) return;
  for (std::uint64_t seed = 0; seed < 20; ++seed) check_mixture_gradient(Device::cuda, seed);
}

TEST_CASE("CUDA: gradients of a mixture in float are those in double", "[mixture]") {
  if (skipped()) return;
  for (std::uint64_t seed = 0; seed < 10; ++seed) check_mixture_floats(Device::cuda, seed, 60);
  check_mixture_floats(Device::cuda, 10, 1);
  check_mixture_floats(Device::cuda, 11, 200000);
}
