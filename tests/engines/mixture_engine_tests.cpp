#include "support/catch.hpp"
#include "support/mixture_contract.hpp"

namespace skde::test {

TEST_CASE("Moments of a mixture are the sums over all cells and points", "[mixture]") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) check_mixture_moments(Device::cpu, seed);
}

TEST_CASE("Gradients of a mixture are the slopes of its values", "[mixture]") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) check_mixture_gradient(Device::cpu, seed);
}

TEST_CASE("Gradients of a mixture in float are those in double", "[mixture]") {
  for (std::uint64_t seed = 0; seed < 3; ++seed) check_mixture_floats(Device::cpu, seed, 60);
  check_mixture_floats(Device::cpu, 3, 1);
  check_mixture_floats(Device::cpu, 4, 20000);
}

}  // namespace skde::test
