#include "estimate/sum/run_density.hpp"

#include <algorithm>

#include "core/report/error.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;

namespace {

/// Cancels after this many slices.
class CancelledAfter final : public Progress {
 public:
  explicit CancelledAfter(std::uint64_t slices) : slices_(slices) {}

  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t done) override { done_ = done; }
  bool cancelled() const override { return done_ >= slices_; }
  std::uint64_t done() const { return done_; }

 private:
  std::uint64_t slices_, done_ = 0;
};

}  // namespace

TEST_CASE("the mass of a volume is its sum times the volume of a cell") {
  const Grid grid{{}, {0.5, 2, 3}, {3, 4, 100}};
  Volume volume(grid, Precision::f64);
  std::ranges::fill(volume.values<double>(), 0.25);
  NoProgress silent;
  CHECK(volume_mass(volume, silent) == Approx(0.25 * 1200 * 3));
}

TEST_CASE("summing up the mass stops where it is cancelled") {
  const Volume volume(Grid{{}, {1, 1, 1}, {1000, 1000, 100}}, Precision::f32);
  CancelledAfter at_once(0), later(32);
  CHECK(test::thrown_error([&] { volume_mass(volume, at_once); }).kind() == ErrorKind::cancelled);
  CHECK(at_once.done() == 0);
  CHECK(test::thrown_error([&] { volume_mass(volume, later); }).kind() == ErrorKind::cancelled);
  CHECK(later.done() < 100);
}

TEST_CASE("a buffer serves a grid of as many cells at another place", "[session]") {
  Session session, fresh;
  session.open(test::gaussian_cloud(500));
  fresh.open(test::gaussian_cloud(500));
  DensityRequest request = test::cube_request(16, 1);
  session.compute(request);
  request.grid.bounds = Box{{-1, -2, -3}, {4, 3, 2}};
  Density moved = session.compute(request), made = fresh.compute(request);
  CHECK(moved.facts().buffers_made == 0);
  CHECK(moved.grid() == made.grid());
  CHECK(moved.volume().grid() == made.grid());
  CHECK(std::ranges::equal(moved.volume().values<float>(), made.volume().values<float>()));
}
