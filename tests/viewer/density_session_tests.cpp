#include "estimate/session.hpp"

#include <catch2/catch.hpp>

#include "estimate/density_estimate.hpp"
#include "io/volumes/volume_formats.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"
#include "viewer/viewed_clouds.hpp"

namespace {

using namespace skde;
using namespace skde::view;
using test::cube_request;
using test::gaussian_cloud;
using test::says;
using test::thrown_error;

NoProgress silent;

/// The session's density and the program's, which must be the same in every bit.
void check_same(Session& session, const PointCloud& cloud, const DensityRequest& request) {
  Density viewed = session.compute(request, silent);
  const DensityEstimate estimate = estimate_density(cloud.view(), request, silent);
  CHECK(viewed.grid == estimate.volume.grid());
  CHECK(viewed.device == Device::cpu);
  CHECK(viewed.metadata.engine == estimate.engine);
  CHECK(viewed.metadata.H == estimate.kernel.H);
  CHECK(viewed.metadata.h == estimate.bandwidth.h);
  CHECK(viewed.metadata.mass_in_box == estimate.mass_in_box);
  CHECK(viewed.metadata.samples == cloud.size());
  CHECK(viewed.launch_policy == estimate.launch_policy);
  const Volume values = viewed.buffer->take_volume();
  CHECK(test::same_bits(values, estimate.volume));
  CHECK(viewed.peak == Approx(values.maximum()).epsilon(1e-6));
}

}  // namespace

TEST_CASE("a session computes what skde density computes") {
  for (const bool weighted : {false, true}) {
    const PointCloud cloud = gaussian_cloud(3000, weighted);
    Session session;
    session.open(cloud);
    for (const char* engine : {"span", "naive", "auto"}) {
      CAPTURE(weighted, engine);
      check_same(session, cloud, cube_request(20, 0.5, engine));
    }
    for (const Normalization normalization :
         {Normalization::density, Normalization::box, Normalization::count}) {
      DensityRequest request = cube_request(24, 0.8);
      request.normalization = normalization;
      request.options.precision = Precision::f64;
      request.kernel = KernelFunction::triweight;
      check_same(session, cloud, request);
    }
    DensityRequest automatic;
    automatic.device = Device::cpu;
    automatic.grid.dims = {32, 0, 0};
    check_same(session, cloud, automatic);
  }
}

TEST_CASE("a session uses its buffers again, and never one that is held") {
  Session session;
  session.open(gaussian_cloud(500));
  Density held = session.compute(cube_request(16, 1), silent);
  const double sum = held.buffer->totals().sum;
  for (int i = 0; i < 100; ++i)
    CHECK(session.compute(cube_request(16, 0.2 + 0.005 * i), silent).buffer->totals().sum != sum);
  CHECK(session.buffers_made() == 2);
  CHECK(held.buffer->totals().sum == sum);

  held = session.compute(cube_request(16, 1), silent);  // the same values in the other buffer
  CHECK(held.buffer->totals().sum == sum);
  CHECK(session.buffers_made() == 2);
  held = session.compute(cube_request(17, 1), silent);
  CHECK(session.buffers_made() == 3);
}

TEST_CASE("a buffer outlives its session and its engine") {
  Density density;
  {
    Session session;
    session.open(gaussian_cloud(500));
    density = session.compute(cube_request(16, 1), silent);
    session.compute(cube_request(16, 1, "openmp"), silent);
    session.open(gaussian_cloud(600));
    session.compute(cube_request(16, 1), silent);
  }
  CHECK(density.buffer->totals().sum * density.grid.cell_volume() ==
        Approx(density.metadata.mass_in_box));
}

TEST_CASE("a volume is viewed as its file has it") {
  const test::TemporaryFolder folder;
  const PointCloud cloud = gaussian_cloud(400);
  const DensityRequest request = cube_request(12, 1);
  const DensityEstimate estimate = estimate_density(cloud.view(), request, silent);
  DensityMetadata metadata = describe(estimate, request.normalization);
  metadata.units = std::string(1, 'm');  // g++ 12 warns of a literal
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    CAPTURE(format.name);
    const std::string path = folder.path(std::string("density").append(format.extension));
    format.write(path, estimate.volume, metadata);
    Session session;
    session.open({{path}, {}, io::NonFinite::drop}, silent);
    CHECK(!session.cloud());
    for (int again = 0; again < 2; ++again) {
      Density viewed = session.compute({}, silent);
      CHECK(test::same_bits(viewed.buffer->take_volume(), estimate.volume));
      CHECK(viewed.metadata.units == "m");
      CHECK(viewed.kernel().H == estimate.kernel.H);
      CHECK(viewed.peak == estimate.volume.maximum());
    }
    const CloudFiles two{{path, path}, {}, io::NonFinite::drop};
    CHECK(says(thrown_error([&] { session.open(two, silent); }), "opened alone"));
  }
}

TEST_CASE("what was open stays open where opening fails") {
  const test::TemporaryFolder folder;
  Session session;
  CHECK(says(thrown_error([&] { session.compute({}, silent); }), "no samples"));
  const CloudFiles good = test::text_file(folder.path("good.xyz"), gaussian_cloud(100).view());
  session.open(good, silent);
  CHECK(session.cloud()->counts.samples() == 100);
  const CloudFiles bad{{folder.path("none.xyz")}, {}, io::NonFinite::drop};
  CHECK(thrown_error([&] { session.open(bad, silent); }).kind() == ErrorKind::input);
  CHECK(session.is_open(good));
  CHECK(!session.is_open(bad));
  CHECK(session.compute(cube_request(8, 1), silent).metadata.samples == 100);
}

TEST_CASE("suggested bandwidths are those of the rules where these can be used") {
  const Moments moments = compute_moments(gaussian_cloud(1000).view());
  BandwidthSpec spec;
  spec.bandwidth = 3.0;
  const BandwidthSuggestions found = suggest_bandwidths(moments, spec, KernelFunction::biweight);
  CHECK(*found.scott == Approx(std::pow(1000, -1.0 / 7)));
  CHECK(*found.silverman == Approx(*found.scott * KernelFunction::biweight->silverman));

  PointCloud flat = gaussian_cloud(100);
  for (std::size_t i = 2; i < flat.xyz.size(); i += 3) flat.xyz[i] = 1;
  const Moments thin = compute_moments(flat.view());
  CHECK(!suggest_bandwidths(thin, spec, KernelFunction::uniform).silverman);
  spec.form = CovarianceForm::iso;
  CHECK(*suggest_bandwidths(thin, spec, KernelFunction::uniform).silverman > 0);
}
