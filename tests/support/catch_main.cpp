#define CATCH_CONFIG_RUNNER  // of Catch2 2
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "support/catch.hpp"

// Catch2's main, which fails if a test takes too long. Time is processor time of the main thread,
// which takes part in all loops, so other work on the machine does not count. Tools that slow a
// program down set SKDE_UNIT_SECONDS.

namespace {

struct SlowTest {
  std::string name;
  double seconds;
};
std::vector<SlowTest> slow_tests;

double longest_seconds() {
  const char* const given = std::getenv("SKDE_UNIT_SECONDS");
  return given ? std::atof(given) : SKDE_UNIT_SECONDS;
}

double main_thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class UnitTimes : public Catch::EventListenerBase {
 public:
  using Base = Catch::EventListenerBase;
  using Base::Base;
  void testCaseStarting(const Catch::TestCaseInfo& test) override {
    Base::testCaseStarting(test);
    name_ = test.name;
    begin_ = main_thread_seconds();
  }
  void testCaseEnded(const Catch::TestCaseStats& test) override {
    const double seconds = main_thread_seconds() - begin_;
    if (seconds > longest_seconds()) slow_tests.push_back({name_, seconds});
    Base::testCaseEnded(test);
  }

 private:
  std::string name_;
  double begin_ = 0;
};
CATCH_REGISTER_LISTENER(UnitTimes)

}  // namespace

int main(int count, char** arguments) {
  Catch::Session session;
  session.configData().rngSeed =
      0;  // as Catch2 2 has it: the same random inputs unless --rng-seed asks for others
  const int failed = session.run(count, arguments);
  for (const auto& [name, seconds] : slow_tests)
    std::cerr << name << ": takes " << seconds << " s, more than " << longest_seconds()
              << " s: make it smaller, or split it\n";
  return failed == 0 && !slow_tests.empty() ? 1 : failed;
}
