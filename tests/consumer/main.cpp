#include <cstdio>
#include <skde/skde.hpp>
#include <vector>

int main() {
  const std::vector<double> xyz{0, 0, 0, 1, 2, 0, 2, 1, 1, 0, 1, 3};  // x, y, z of each sample
  skde::Session session;
  session.open(xyz);
  skde::Density density = session.compute({.grid = {.dims = {{64, 64, 64}}}});
  std::printf("density at (1, 1, 1): %g\n", density.at({1, 1, 1}));
}
