// Boundary treatment of kernels that reach beyond the faces of the box.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engines/registry/registry.hpp"
#include "estimate/session.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/references/boundary_reference.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

namespace {

using namespace skde;
using namespace skde::test;

const Symmetric3 kStraight{0.5, 0, 0, 0.6, 0, 0.4};

/// Makes weighted samples in a box of 3 x 2.4 x 2, some of them outside.
BoundaryCase make_case(KernelFunction kernel, const Symmetric3& H, const Boundaries& boundaries) {
  BoundaryCase of;
  of.kernel = kernel;
  of.H = H;
  of.boundaries = boundaries;
  of.grid = {{-1, 5, 100}, {0.25, 0.2, 0.2}, {12, 12, 10}};
  Random random(5);
  add_uniform(of.cloud, random, {{-1.2, 4.9, 99.9}, {2.1, 7.6, 102.1}}, 40);
  for (std::size_t i = 0; i < of.cloud.size(); ++i)
    of.cloud.weights.push_back(random.uniform(0.5, 2));
  return of;
}

DensityRequest request_of(const BoundaryCase& of) {
  return {.kernel = of.kernel,
          .bandwidth = {.bandwidth = of.H},
          .like = of.grid,
          .boundaries = of.boundaries,
          .precision = Precision::f64,
          .min_width = 0,
          .options = {.threads = 2}};
}

/// Returns the density by one engine, or nullopt if the engine does not serve the case.
std::optional<Density> computed(const BoundaryCase& of, DensityRequest request,
                                std::string_view engine) {
  Session session = session_with(of.cloud);
  request.engine = engine;
  try {
    return session.compute(request);
  } catch (const Error& error) {
    INFO(error.what());
    REQUIRE(error.kind() == ErrorKind::unsupported);
    return std::nullopt;
  }
}

std::vector<std::string_view> cpu_engines() {
  std::vector<std::string_view> names;
  for (const EngineEntry& entry : engine_table())
    if (entry.traits.device == Device::cpu && entry.traits.serves_grids &&
        entry.unavailable().empty())
      names.push_back(entry.traits.name);
  return names;
}

}  // namespace

TEST_CASE("every engine sums the images of samples at the faces", "[boundary]") {
  const std::array<Boundaries, 6> all{{{kReflect, kReflect, kReflect},
                                       {kPeriodic, kPeriodic, kPeriodic},
                                       {kPeriodic, kNone, kReflect},
                                       {kReflect, kPeriodic, kNone},
                                       {kNone, kReflect, kNone},
                                       {kRenormalize, kReflect, kPeriodic}}};
  for (const KernelFunction kernel :
       {KernelFunction::epanechnikov, KernelFunction::triweight, KernelFunction::gaussian})
    for (const Symmetric3& H : {kTiltedBandwidth, kStraight})
      for (const Boundaries& boundaries : all) {
        const BoundaryCase of =
            make_case(kernel, kernel == KernelFunction::gaussian ? 0.2 * H : H, boundaries);
        const std::vector<double> expected = boundary_density(of);
        int served = 0;
        for (const std::string_view engine : cpu_engines()) {
          DensityRequest request = request_of(of);
          request.tolerance = kernel == KernelFunction::gaussian ? 1e-7 : 0;
          std::optional<Density> density = computed(of, request, engine);
          if (!density) continue;
          ++served;
          INFO(engine << ", " << kernel->name << ", " << boundaries_text(boundaries) << ", "
                      << (H == kTiltedBandwidth ? "tilted" : "straight"));
          // The reference sums masses between faces, which limits its own accuracy.
          const double least = boundaries[0] == kRenormalize ? 3e-4 : 2e-9;
          CHECK(relative_distance(density->volume(), expected) <
                std::max(least, 2 * density->facts().error_bound));
        }
        CHECK(served >= 3);
      }
}

TEST_CASE("samples' own shapes and widths are mirrored with them", "[boundary]") {
  for (const Boundaries& boundaries :
       {Boundaries{kReflect, kReflect, kPeriodic}, Boundaries{kReflect, kNone, kRenormalize}}) {
    BoundaryCase of = make_case(KernelFunction::triweight, kTiltedBandwidth, boundaries);
    Random random(9);
    for (std::size_t i = 0; i < of.cloud.size(); ++i)
      of.cloud.bandwidth_factors.push_back(random.uniform(0.4, 1.3));
    const double allowed = boundaries[2] == kRenormalize ? 3e-4 : 1e-9;
    CHECK(relative_distance(computed(of, request_of(of), "tile")->volume(), boundary_density(of)) <
          allowed);
    of.cloud.bandwidth_factors.clear();
    for (std::size_t i = 0; i < of.cloud.size(); ++i) {
      const auto length = [&] { return random.uniform(0.3, 1.2); };
      const Symmetric3 m = random_rotation(random, {length(), length(), length()});
      of.cloud.shapes.insert(of.cloud.shapes.end(), {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz});
    }
    CHECK(relative_distance(computed(of, request_of(of), "tile")->volume(), boundary_density(of)) <
          allowed);
  }
}

TEST_CASE("the mass stays in a box whose faces keep it", "[boundary]") {
  for (const Boundary boundary : {kReflect, kPeriodic, kRenormalize}) {
    BoundaryCase of =
        make_case(KernelFunction::triweight, kTiltedBandwidth, {boundary, boundary, boundary});
    of.grid.spacing = 0.25 * of.grid.spacing;
    for (std::int64_t& n : of.grid.dims) n *= 4;
    std::optional<Density> density = computed(of, request_of(of), "tile");
    INFO(word_of(kBoundaries, boundary));
    double inside = 0;
    const Box box = of.grid.bounds();
    for (std::size_t i = 0; i < of.cloud.size(); ++i) {
      const Vec3 p = of.cloud.view().point(i);
      const bool within = p.x >= box.lower.x && p.x <= box.upper.x && p.y >= box.lower.y &&
                          p.y <= box.upper.y && p.z >= box.lower.z && p.z <= box.upper.z;
      if (within || boundary == kPeriodic) inside += of.cloud.weights[i];
    }
    inside /= std::accumulate(of.cloud.weights.begin(), of.cloud.weights.end(), 0.0);
    CHECK(density->facts().mass_in_box == Approx(inside).epsilon(1e-12));
    // The sum over cells has an error of the order of their edge squared: the density is steep at
    // the faces.
    CHECK(density->facts().sum_in_box == Approx(inside).epsilon(1e-3));
    const bool is_warned = std::ranges::any_of(
        density->facts().warnings, [](const Warning& w) { return w.kind == "beyond_faces"; });
    CHECK(is_warned == (boundary != kPeriodic));
    CHECK(density->metadata.boundaries == of.boundaries);
  }
}

TEST_CASE("a kernel with next to nothing between the faces is not divided by that", "[boundary]") {
  Samples cloud;
  cloud.xyz = {0.5, 0.5, 0.5, 0.3, 0.4, 1.0};
  DensityRequest request{.kernel = KernelFunction::triweight,
                         .bandwidth = {.bandwidth = Symmetric3::diagonal(0.04, 0.04, 0.04)},
                         .like = Grid{{0, 0, 0}, {0.1, 0.1, 0.1}, {10, 10, 10}},
                         .boundaries = {kNone, kNone, kRenormalize}};
  const auto density = [&] { return session_with(cloud).compute(request).facts().mass_in_box; };
  CHECK(density() == Approx(1));
  // A kernel 1e9 times as long as the box has 1e-9 of its mass inside.
  request.bandwidth.bandwidth = Symmetric3::diagonal(0.04, 0.04, 1e18);
  check_thrown(ErrorKind::input, {"almost none of its mass within the box"}, [&] { density(); });
}

TEST_CASE("what is the same everywhere stays so up to the faces", "[boundary]") {
  // A lattice finer than the kernel, in a box that is a whole number of its cells.
  Samples lattice;
  constexpr int kPoints = 30;
  for (int i = 0; i < kPoints; ++i)
    for (int j = 0; j < kPoints; ++j)
      for (int k = 0; k < kPoints; ++k)
        for (const int at : {i, j, k}) lattice.xyz.push_back((at + 0.5) / kPoints);
  DensityRequest request{
      .kernel = KernelFunction::gaussian,
      .bandwidth = {.bandwidth = Symmetric3{0.01, 0.004, 0.002, 0.01, -0.003, 0.01}},
      .like = Grid{{0, 0, 0}, {0.1, 0.1, 0.1}, {10, 10, 10}},
      .precision = Precision::f64};
  Session session = session_with(lattice);
  const auto spread = [&](Boundary boundary) {
    request.boundaries = {boundary, boundary, boundary};
    Density density = session.compute(request);
    const auto values = density.volume().values<double>();
    const auto [least, most] = std::ranges::minmax(values);
    return std::pair(least, most);
  };
  const auto [least, most] = spread(kPeriodic);
  CHECK(least == Approx(1).epsilon(5e-6));
  CHECK(most == Approx(1).epsilon(5e-6));
  const auto [open_least, open_most] = spread(kNone);
  CHECK(open_least < 0.3);
  // Mirrored kernels have the opposite tilt: they fill up the density at faces, but not at edges.
  request.boundaries = {kReflect, kReflect, kReflect};
  const Density tilted = session.compute(request);
  CHECK(tilted.values()->on_host()->at(0, 5, 5) == Approx(1).epsilon(5e-5));
  CHECK(tilted.values()->on_host()->at(5, 9, 5) == Approx(1).epsilon(5e-5));
  CHECK(tilted.values()->on_host()->at(0, 0, 5) > 1.1);
  request.bandwidth.bandwidth = Symmetric3{0.01, 0, 0, 0.01, 0, 0.01};
  const auto [mirrored_least, mirrored_most] = spread(kReflect);
  CHECK(mirrored_least == Approx(1).epsilon(5e-6));
  CHECK(mirrored_most == Approx(1).epsilon(5e-6));
  const auto [divided_least, divided_most] = spread(kRenormalize);
  CHECK(divided_least > 0.5);
  CHECK(divided_most < 1.7);
}

TEST_CASE("a box that is not given ends at the cloud, and is refused where it repeats",
          "[boundary]") {
  Samples cloud;
  Random random(8);
  add_uniform(cloud, random, {{3, 4, 5}, {4, 6, 8}}, 500);
  Session session = session_with(cloud);
  DensityRequest request{.grid = {.dims = {{40, 0, 0}}},
                         .boundaries = {kReflect, kNone, kRenormalize}};
  const Density density = session.compute(request);
  const Box box = density.facts().grid.bounds(), held = density.facts().moments.bounds();
  CHECK(box.lower.x == held.lower.x);
  CHECK(box.upper.x == Approx(held.upper.x).epsilon(1e-14));
  CHECK(box.lower.y < held.lower.y - 0.1);
  CHECK(box.upper.z == Approx(held.upper.z).epsilon(1e-14));
  CHECK(density.facts().mass_in_box == 1);
  CHECK(density.facts().in_box.beyond == 0);
  request.boundaries = {kNone, kNone, kPeriodic};
  const Error refused = thrown_error([&] { static_cast<void>(session.compute(request)); });
  CHECK(refused.kind() == ErrorKind::usage);
  CHECK(refused.parameter() == "boundary");
  CHECK(refused.suggestion().find("`bounds`") != std::string::npos);

  request.grid.bounds = Box{{3, 4, 5}, {4, 6, 8}};
  request.boundaries = {kPeriodic, kPeriodic, kPeriodic};
  request.bandwidth.bandwidth = Vec3{30, 30, 30};
  CHECK(
      thrown_error([&] { static_cast<void>(session.compute(request)); }).problem().find("images") !=
      std::string::npos);
}

TEST_CASE("boundaries of clouds in parts and slabs are those of clouds in memory", "[boundary]") {
  Samples cloud;
  Random random(4);
  add_uniform(cloud, random, {{0, 0, 0}, {1, 1, 1}}, 400000);
  std::string text = "x,y,z\n";
  for (std::size_t i = 0; i < cloud.size(); ++i)
    text += fmt::format("{},{},{}\n", cloud.xyz[3 * i], cloud.xyz[3 * i + 1], cloud.xyz[3 * i + 2]);
  const TemporaryFolder folder;
  const CloudFiles files{{folder.file("a.csv", text)}, {}, io::NonFinite::error};
  DensityRequest request;
  request.bandwidth.bandwidth = Symmetric3{0.002, 0.001, 0, 0.002, 0, 0.001};
  request.grid.bounds = Box{{0, 0, 0}, {1, 1, 1}};
  request.grid.dims = {20, 20, 20};
  request.boundaries = {kReflect, kRenormalize, kPeriodic};
  request.precision = Precision::f64;
  request.engine = "span";  // it sorts: all samples at once need more memory
  request.options.threads = 2;
  const auto [whole, in_memory] = computed_within(std::int64_t{4} << 30, files, request);
  const auto [cut, in_parts] =
      computed_within(kProgramBytes + (std::int64_t{40} << 20), files, request);
  CHECK(in_memory.memory.part_samples == 0);
  CHECK(in_parts.memory.part_samples > 0);
  CHECK(relative_distance(cut, whole) < 1e-12);
  CHECK(in_parts.mass_in_box == Approx(1).epsilon(1e-12));
  CHECK(in_parts.moments.count() == 400000);
}
