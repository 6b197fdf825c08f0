#include "cli/terminal_progress.hpp"

#include <catch2/catch.hpp>

using namespace skde;

namespace {

/// As of a program that wants forecasts alone.
class Planner final : public Progress {
 public:
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  bool cancelled() const override { return false; }
  void expect(const WorkForecast& forecast) override { seconds = forecast.seconds; }
  bool only_plans() const override { return true; }

  double seconds = 0;
};

}  // namespace

TEST_CASE("who listens besides is told forecasts, and may want no more, of parts as well",
          "[cli]") {
  cli::TerminalProgress progress(false);
  CHECK_FALSE(progress.only_plans());
  Planner planner;
  cli::set_progress_listener(&planner);
  ProgressOfPart part(progress, 3, 1);
  CHECK(progress.only_plans());
  CHECK(part.only_plans());
  part.expect({.seconds = 2});
  CHECK(planner.seconds == 6);
  cli::set_progress_listener(nullptr);
  CHECK_FALSE(part.only_plans());
}
