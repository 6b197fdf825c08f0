#include "estimate/read/part_statistics.hpp"

#include <random>

#include "core/cloud/synthetic_cloud.hpp"
#include "support/catch.hpp"

using namespace skde;

TEST_CASE("the mass in a box is the same from the samples at its faces") {
  std::mt19937 random(std::random_device{}());
  const auto draw = [&](double from, double to) {
    return std::uniform_real_distribution<double>(from, to)(random);
  };
  Samples cloud = make_five_gaussians(random(), 0, 4000);
  if (draw(0, 1) < 0.5)
    for (std::size_t i = 0; i < cloud.size(); ++i) cloud.weights.push_back(draw(0, 3));
  FaceSamples faces;
  for (int k = 0; k < 40; ++k) {
    // Bandwidths and boxes that change a little, and sometimes much.
    const double h = draw(0, 1) < 0.2 ? draw(0.5, 4) : draw(0.1, 0.3);
    const double side = draw(0, 1) < 0.2 ? draw(0.5, 4) : 5;
    Kernel kernel;
    kernel.H = (h * h) * Symmetric3{1, 0.3, 0.1, 0.8, -0.2, 1.3};
    Boundaries boundaries{};
    if (k % 5 == 4) boundaries = {Boundary::reflect, Boundary::periodic, Boundary::none};
    const Box box{{-side, -5, -side}, {side, 5, 4}};
    const BoxMass mass(kernel, box, boundaries);
    CAPTURE(h, side, k);
    const MassInBox found = faces.mass_in_box(mass, cloud.view(), 2);
    const MassInBox expected = mass_in_box(mass, cloud.view());
    CHECK(found.weight == Approx(expected.weight).epsilon(1e-12));
    CHECK(found.outside == expected.outside);
    CHECK(found.beyond == expected.beyond);
  }
  // Other samples in the same memory are known after forget().
  for (double& place : cloud.xyz) place *= 0.5;
  faces.forget();
  const BoxMass mass(Kernel{KernelFunction::epanechnikov, Symmetric3::diagonal(1, 1, 1)},
                     {{-3, -3, -3}, {3, 3, 3}}, {});
  CHECK(faces.mass_in_box(mass, cloud.view(), 2).weight ==
        Approx(mass_in_box(mass, cloud.view()).weight).epsilon(1e-12));
}
