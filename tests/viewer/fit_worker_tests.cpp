#include "viewer/work/fit_worker.hpp"

#include <chrono>
#include <thread>

#include "io/points/mixture_file.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/session/view_session.hpp"

namespace {

using namespace skde;
using namespace skde::view;

/// Two Gaussians on a small grid.
FitJob two_gaussians(std::int64_t steps) {
  Mixture mixture;
  mixture.members.xyz = {-1, 0, 0, 1, 0.5, 0};
  mixture.members.weights = {0.3, 0.7};
  mixture.members.shapes = {0.3, 0, 0, 0.2, 0, 0.25, 0.15, 0.05, 0, 0.2, 0, 0.3};
  const Grid grid{{-3, -3, -3}, {0.3, 0.3, 0.3}, {20, 20, 20}};
  NoProgress silent;
  FitJob job{mixture_on(mixture, grid, Precision::f32, {}, silent)};
  job.spec.members = 2;
  job.spec.steps = steps;
  return job;
}

FitWorker::Worker::Answer result_of(FitWorker& worker) {
  while (true) {
    if (auto result = worker.poll()) return std::move(*result);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

TEST_CASE("a fit in a thread tells its error as it goes, and finds the mixture") {
  std::atomic<int> woken{0};
  FitWorker worker([&] { ++woken; });
  worker.start(two_gaussians(600));
  CHECK(worker.status().steps == 600);
  const auto result = result_of(worker);
  REQUIRE(result.result);
  CHECK(result.result->facts.relative_error < 0.02);
  CHECK(result.result->mixture.size() == 2);
  const FitStatus status = worker.status();
  CHECK_FALSE(status.busy);
  REQUIRE(status.errors.size() >= 2);
  CHECK(status.errors.back() < status.errors.front());
  CHECK(woken > static_cast<int>(status.errors.size()));
  CHECK_FALSE(worker.poll());
}

TEST_CASE("a fit that is stopped gives what it has; one that is abandoned, nothing") {
  FitWorker worker;
  worker.start(two_gaussians(1'000'000'000));
  worker.stop();
  const auto stopped = result_of(worker);
  REQUIRE(stopped.result);
  CHECK(stopped.result->facts.steps < 1'000'000'000);
  CHECK(stopped.result->mixture.size() == 2);
  worker.start(two_gaussians(1'000'000'000));
  worker.forget();
  CHECK_FALSE(worker.poll());
  CHECK_FALSE(worker.status().busy);
}

TEST_CASE("a fit that cannot be made says why") {
  FitWorker worker;
  FitJob job = two_gaussians(10);
  job.volume = Volume(job.volume.grid(), Precision::f32);
  worker.start(std::move(job));
  const auto result = result_of(worker);
  CHECK_FALSE(result.result);
  REQUIRE(result.error);
  CHECK(result.error->kind() == ErrorKind::input);
}

TEST_CASE("a session fits its density, shows the ellipsoids and saves them") {
  const test::GlFixture context;
  const test::TemporaryFolder folder;
  ViewOptions options;
  options.state.cloud = test::text_file(folder.path("a.xyz"), test::gaussian_cloud(200).view());
  options.state.density.grid.dims = {16, 0, 0};
  options.state.density.device = Device::cpu;
  ViewSession session(options);
  session.wait([] { return false; });
  CHECK(session.scene.view.ellipsoids.members().size() == 0);
  start_fit(session, 6);
  while (!session.fit.last() && session.failures.text().empty()) {
    session.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(session.failures.text().empty());
  CHECK(session.scene.view.ellipsoids.members().size() == 6);
  CHECK_FALSE(session.scene.view.ellipsoids.are_samples());
  CHECK(session.state.ellipsoids == EllipsoidsShown::under);

  const std::string path = folder.path("fit.ply");
  save_fitted(path, *session.fit.last());
  NoProgress silent;
  const io::MixtureFile saved = io::read_mixture(path, silent);
  CHECK(saved.mixture.size() == 6);
  CHECK(saved.states_kernel);
  double mass = 0;
  for (const double m : saved.mixture.members.weights) mass += m;
  CHECK(mass == Approx(session.fit.last()->facts.mass).epsilon(1e-5));

  // Another bandwidth keeps the ellipsoids. The saved file has its own.
  session.state.density.bandwidth.bandwidth = 0.7;
  session.wait([] { return false; });
  CHECK(session.scene.view.ellipsoids.members().size() == 6);
  session.open_files({path});
  session.wait([] { return false; });
  CHECK_FALSE(session.fit.last());
  CHECK(session.scene.view.ellipsoids.members().size() == 6);
  CHECK(session.scene.view.ellipsoids.are_samples());
  session.open_files({folder.path("a.xyz")});
  session.wait([] { return false; });
  CHECK(session.scene.view.ellipsoids.members().size() == 0);
}
