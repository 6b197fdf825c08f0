// Ageing while the service runs, with made-up clocks.

#include "service/store/database.hpp"
#include "support/catch.hpp"

namespace skde::service {
namespace {

constexpr std::int64_t kMinute = 60'000, kServedDay = 1440 * kMinute;

/// Starts again and runs for this many minutes from `now` on; returns the time of the end.
std::int64_t run_for(ServedTime& served, std::int64_t now, std::int64_t minutes) {
  Database table(":memory:");
  served.save(table);
  served = {};
  served.load(table);
  for (std::int64_t minute = 0; minute <= minutes; ++minute)
    served.run(now + minute * kMinute, 7 + minute * kMinute);
  return now + minutes * kMinute;
}

}  // namespace

TEST_CASE("what nobody uses ages while the service runs", "[retention]") {
  ServedTime served;
  const std::int64_t used = 1000 * kServedDay;
  CHECK(served.since(used) == 0);
  std::int64_t end = run_for(served, used, 100);
  CHECK(served.since(used) == 100 * kMinute);
  CHECK(served.since(end) == 0);
  end = run_for(served, end + kMinute, 50);  // a restart
  CHECK(served.since(used) == 151 * kMinute);
  run_for(served, end + 90 * kServedDay, 10);  // switched off for months
  CHECK(served.since(used) == 161 * kMinute);
  CHECK(served.since(used - kServedDay) == 161 * kMinute);
}

TEST_CASE("a clock that jumps makes nothing old", "[retention]") {
  ServedTime served;
  const std::int64_t used = 1000 * kServedDay;
  const std::int64_t right = run_for(served, used, 10);
  const std::int64_t wrong = run_for(served, right + 40 * kServedDay, 10);
  CHECK(served.since(used) == 20 * kMinute);
  run_for(served, right + kMinute, 10);
  CHECK(served.since(used) == 30 * kMinute);
  CHECK(served.since(wrong) == 10 * kMinute);  // used while the clock was ahead

  SECTION("back, and right again") {
    const std::int64_t back = run_for(served, right - 400 * kServedDay, 10);
    run_for(served, right + 2 * kServedDay, 10);
    CHECK(served.since(back) == 10 * kMinute);
    CHECK(served.since(used) <= 50 * kMinute);
  }
  SECTION("while it runs") {
    ServedTime jumping;
    jumping.run(used, 0);
    jumping.run(used + kMinute, kMinute);
    jumping.run(used + 90 * kServedDay, 2 * kMinute);
    jumping.run(used + 90 * kServedDay + kMinute, 3 * kMinute);
    CHECK(jumping.since(used) == 2 * kMinute);
  }
}

TEST_CASE("spans that nothing is as old as are forgotten", "[retention]") {
  ServedTime served;
  std::int64_t end = 1000 * kServedDay;
  for (int i = 0; i < 5; ++i) end = run_for(served, end + kServedDay, 10);
  CHECK(served.since(0) == 50 * kMinute);
  served.forget_before(15 * kMinute);
  CHECK(served.since(0) == 20 * kMinute);
}

}  // namespace skde::service
