#include "core/report/first_failure.hpp"

#include <new>
#include <stdexcept>
#include <string>

#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "support/catch.hpp"

using namespace skde;

TEST_CASE("What a parallel region throws is thrown behind it, once", "[first_failure]") {
  FirstFailure failure;
  failure.rethrow();
  int done = 0;
#pragma omp parallel for num_threads(4) reduction(+ : done)
  for (int i = 0; i < 100; ++i) {
    failure.keep([&] {
      if (i % 10 == 3) throw std::bad_alloc();
      ++done;
    });
  }
  CHECK(done == 90);
  CHECK(failure.any());
  CHECK_THROWS_AS(failure.rethrow(), std::bad_alloc);
}

TEST_CASE("Threads that can be started are no error", "[thread_room]") {
  require_threads(0);
  require_threads(3);
}

TEST_CASE("only work that is worth a thread gets one", "[thread_room]") {
  CHECK(threads_worth(0, 16) == 1);
  CHECK(threads_worth(1.9e-4, 16) == 1);
  CHECK(threads_worth(5.5e-4, 16) == 5);
  CHECK(threads_worth(1, 16) == 16);
  CHECK(threads_worth(1e300, 3) == 3);
  CHECK(threads_worth(0, 1) == 1);
}
