#include "estimate/read/cloud.hpp"
#include "estimate/stream/followed_stream.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/worker.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>

#include "estimate/sum/merged_density.hpp"
#include "estimate/sum/part_sums.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace std::chrono_literals;
using test::cube_request;
using test::gaussian_cloud;
using test::says;
using Clock = std::chrono::steady_clock;

/// Many seconds of work, which can be cancelled.
DensityRequest slow_request() { return cube_request(160, 0.5, "naive"); }

/// Waits until the worker's status satisfies `wanted`.
template <class Wanted>
void wait_for(const SessionWorker& worker, Wanted wanted) {
  const Clock::time_point end = Clock::now() + 30s;
  while (!wanted(worker.status())) {
    REQUIRE(Clock::now() < end);
    std::this_thread::sleep_for(1ms);
  }
}

}  // namespace

TEST_CASE("of many requests the newest is the result and few are begun") {
  const test::TemporaryFolder folder;
  const CloudFiles files = test::text_file(folder.path("a.xyz"), gaussian_cloud(20000).view());
  SessionWorker worker{{}};
  const Clock::time_point begin = Clock::now();
  for (int i = 1; i < 50; ++i) CHECK(worker.request({files, slow_request()}) == std::uint64_t(i));
  const std::uint64_t last = worker.request({files, cube_request(16, 0.75)});
  const std::optional<WorkerResult> result = worker.poll_for(30s);
  REQUIRE(result);
  CHECK(result->number == last);
  REQUIRE(result->density);
  CHECK(result->density->metadata.h == 0.75);
  CHECK(result->cloud->points.size() == 20000);
  CHECK(worker.status().runs <= 3);
  CHECK(Clock::now() - begin < 10s);
  CHECK(!worker.poll());  // each result is returned once
}

TEST_CASE("a slow run is cancelled by a newer request") {
  const test::TemporaryFolder folder;
  const CloudFiles files = test::text_file(folder.path("a.xyz"), gaussian_cloud(20000).view());
  std::atomic<int> results{0};
  auto worker = std::make_unique<SessionWorker>(SessionOptions{}, [&] { ++results; });
  worker->request({files, slow_request()});
  wait_for(*worker, [](const WorkerStatus& status) { return status.stage == "accumulate"; });
  CHECK(worker->status().busy);
  const std::uint64_t last = worker->request({files, cube_request(16, 1)});
  const std::optional<WorkerResult> result = worker->poll_for(30s);
  REQUIRE(result);
  CHECK(result->number == last);
  CHECK(result->density);
  CHECK(worker->status().runs == 2);
  CHECK(!worker->status().busy);
  worker.reset();  // the callback may come after the result
  CHECK(results == 1);
}

TEST_CASE("every step of a quick engine is seen while the last one is held") {
  const test::TemporaryFolder folder;
  const CloudFiles files = test::text_file(folder.path("a.xyz"), gaussian_cloud(500).view());
  SessionWorker worker{{}};
  std::optional<WorkerResult> shown;
  for (int step = 1; step <= 40; ++step) {
    const double h = 0.5 + 0.01 * step;
    const std::uint64_t number = worker.request({files, cube_request(20, h)});
    if (shown) CHECK(shown->density->values()->totals().sum > 0);  // during the next run
    std::optional<WorkerResult> next = worker.poll_for(30s);
    REQUIRE(next);
    REQUIRE(next->density);
    CHECK(next->number == number);
    CHECK(next->density->metadata.h == h);
    const double mass = next->density->values()->totals().sum * next->density->grid().cell_volume();
    CHECK(mass == Approx(next->density->facts().sum_in_box));
    shown = std::move(next);
  }
}

TEST_CASE("a request announces what it will compute") {
  const test::TemporaryFolder folder;
  const CloudFiles files = test::text_file(folder.path("a.xyz"), gaussian_cloud(20000).view());
  SessionWorker worker{{}};
  const auto planned = [&] {
    const Clock::time_point end = Clock::now() + 30s;
    std::optional<PlannedDensity> found;
    while (!(found = worker.poll_planned()) && Clock::now() < end) std::this_thread::sleep_for(1ms);
    return found;
  };
  worker.request({.files = files, .density = slow_request(), .announces = true});
  const std::optional<PlannedDensity> first = planned();
  REQUIRE(first);
  CHECK(first->number == 1);
  CHECK(first->cloud->points.size() == 20000);
  CHECK(first->h == 0.5);
  CHECK(!worker.poll_planned());  // once
  CHECK(!worker.poll());
  DensityRequest without_box = slow_request();
  without_box.grid.bounds.reset();
  worker.request({.files = files, .density = without_box, .announces = true});
  const std::optional<PlannedDensity> second = planned();
  REQUIRE(second);
  CHECK(second->number == 2);
  CHECK(second->cloud == first->cloud);
  CHECK(second->grid != first->grid);
  without_box.engine = "span";
  worker.request({.files = files, .density = without_box, .announces = true});
  const std::optional<WorkerResult> result = worker.poll_for(30s);
  REQUIRE(result);
  REQUIRE(result->density);
  CHECK(result->density->grid() == second->grid);
  CHECK(!worker.poll_planned());  // the density has replaced it
  // A bandwidth from the data is known only once it has been found.
  DensityRequest from_data = slow_request();
  from_data.bandwidth.bandwidth = BandwidthRule::lscv;
  worker.request({.files = files, .density = from_data, .announces = true});
  const std::optional<PlannedDensity> third = planned();
  REQUIRE(third);
  CHECK(third->h == 0);
  CHECK(third->grid.dims == first->grid.dims);
}

TEST_CASE("the end of a worker cancels its run within a second") {
  const test::TemporaryFolder folder;
  const CloudFiles files = test::text_file(folder.path("a.xyz"), gaussian_cloud(20000).view());
  auto worker = std::make_unique<SessionWorker>(SessionOptions{});
  worker->request({files, slow_request()});
  wait_for(*worker, [](const WorkerStatus& status) { return status.stage == "accumulate"; });
  worker->request({files, slow_request()});
  const Clock::time_point begin = Clock::now();
  worker.reset();
  CHECK(Clock::now() - begin < 1s);
}

TEST_CASE("a bad request is a result too and the worker goes on") {
  const test::TemporaryFolder folder;
  Samples flat = gaussian_cloud(100);
  for (std::size_t i = 2; i < flat.xyz.size(); i += 3) flat.xyz[i] = 1;
  const CloudFiles files = test::text_file(folder.path("flat.xyz"), flat.view());
  SessionWorker worker{{}};
  const auto error_of = [&](const CloudFiles& of, const DensityRequest& request) {
    worker.request({of, request});
    std::optional<WorkerResult> result = worker.poll_for(30s);
    REQUIRE(result);
    REQUIRE(result->error);
    CHECK(!result->density);
    return *std::move(result);
  };
  const WorkerResult singular = error_of(files, cube_request(8, 1));
  CHECK(singular.error->kind() == ErrorKind::input);
  CHECK(says(*singular.error, "flat along z"));
  CHECK(singular.cloud->points.size() == 100);  // the samples can still be shown
  const CloudFiles none{{folder.path("none.xyz")}, {}, io::NonFinite::drop};
  CHECK(says(*error_of(none, cube_request(8, 1)).error, "none.xyz"));

  DensityRequest round = cube_request(8, 1), odd = cube_request(8, 1, "spam"),
                 huge = cube_request(2000000000, 1);
  for (DensityRequest* request : {&round, &odd, &huge})
    request->bandwidth.form = CovarianceForm::iso;
  CHECK(says(*error_of(files, odd).error, "unknown engine 'spam'"));
  CHECK(says(*error_of(files, huge).error, "`dims`"));
  worker.request({files, round});
  const std::optional<WorkerResult> result = worker.poll_for(30s);
  REQUIRE(result);
  CHECK(result->density);
}

TEST_CASE("samples that a newer request wants as well are read to their end") {
  const test::TemporaryFolder folder;
  const std::string pipe = folder.path("pipe.xyz");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const CloudFiles files{{pipe}, {}, io::NonFinite::drop};
  SessionWorker worker{{}};
  worker.request({files, cube_request(8, 1)});
  std::ofstream writer(pipe);  // waits for the worker to open it
  const std::uint64_t last = worker.request({files, cube_request(8, 2)});
  std::this_thread::sleep_for(SessionWorker::kPatience + 50ms);
  test::write_text(writer, gaussian_cloud(1000).view());
  writer.close();
  std::optional<WorkerResult> result;
  do {
    result = worker.poll_for(30s);
    REQUIRE(result);
    REQUIRE(result->density);
  } while (result->number != last);
  CHECK(result->density->metadata.h == 2);
  CHECK(result->density->metadata.samples == 1000);
}

TEST_CASE("cancelling ends what waits behind the run, too") {
  const test::TemporaryFolder folder;
  const std::string pipe = folder.path("pipe.xyz");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const CloudFiles files{{pipe}, {}, io::NonFinite::drop};
  SessionWorker worker{{}};
  worker.request({files, cube_request(8, 1)});
  std::ofstream writer(pipe);  // waits for the worker to open it
  const std::uint64_t last = worker.request({files, cube_request(8, 2)});
  worker.cancel();
  // The worker may have closed its end of the pipe.
  void (*const before)(int) = std::signal(SIGPIPE, SIG_IGN);
  test::write_text(writer, gaussian_cloud(1000).view());
  writer.close();
  std::signal(SIGPIPE, before);
  const std::optional<WorkerResult> result = worker.poll_for(30s);
  REQUIRE(result);
  CHECK(result->number == last);
  REQUIRE(result->error);
  CHECK(result->error->kind() == ErrorKind::cancelled);
  wait_for(worker, [](const WorkerStatus& status) { return !status.busy; });
  CHECK(worker.status().runs == 1);
  worker.request(
      {test::text_file(folder.path("b.xyz"), gaussian_cloud(10).view()), cube_request(8, 1)});
  CHECK(worker.poll_for(30s)->density);
}

TEST_CASE("a stream brings densities, and serves other requests with the samples that are there") {
  const test::TemporaryFolder folder;
  const Samples cloud = gaussian_cloud(200);
  const CloudFiles files = test::text_file(folder.path("a.xyz"), cloud.view());
  DensityRequest request = cube_request(12, 1);
  request.bandwidth.bandwidth = Vec3{0.9, 1.1, 0.7};
  request.grid.bounds = Box{{-3, -3, -3}, {3, 3, 3}};
  SessionWorker worker{{}};
  const auto next = [&](std::uint64_t number) {
    while (true) {
      std::optional<WorkerResult> result = worker.poll_for(30s);
      REQUIRE(result);
      if (result->number == number) return *std::move(result);
    }
  };
  const std::uint64_t first = worker.request({files, request, WindowSpec{150, 100, {}}});
  WorkerResult result = next(first);
  while (result.density && result.density->metadata.samples < 150) result = next(first);
  REQUIRE(result.density);
  // At the end of the stream the samples stay available.
  request.bandwidth.bandwidth = Vec3{1.5, 1.5, 1.5};
  const std::uint64_t wider = worker.request({files, request, WindowSpec{150, 100, {}}});
  result = next(wider);
  REQUIRE(result.density);
  CHECK(result.density->metadata.H.xx == Approx(2.25));
  // They also stay available after a request that cannot be served.
  request.bandwidth.bandwidth = BandwidthRule::silverman;
  result = next(worker.request({files, request, WindowSpec{150, 100, {}}}));
  REQUIRE(result.error);
  CHECK(result.error->kind() == ErrorKind::usage);
  request.bandwidth.bandwidth = Vec3{0.9, 1.1, 0.7};
  result = next(worker.request({files, request, WindowSpec{150, 100, {}}}));
  REQUIRE(result.density);
  // The result equals, to the bit, the density of the last samples alone.
  const CloudFiles last = test::text_file(folder.path("b.xyz"), cloud.view().slice(50, 150));
  NoProgress silent;
  const PartialSums sums = sum_part(last, plan_sums(last, {request}), silent);
  const MergedDensity alone = density_of(sums.head, sums.sums, Normalization::density);
  CHECK(std::ranges::equal(result.density->volume().values<float>(), alone.volume.values<float>()));
  // A request for other files opens those.
  result = next(worker.request({last, cube_request(8, 1)}));
  REQUIRE(result.density);
  CHECK(result.cloud->points.size() == 150);
}
