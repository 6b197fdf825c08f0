#include "system/control_group.hpp"

#include <omp.h>

#include <fstream>
#include <new>
#include <stdexcept>
#include <string>

#include "core/report/error.hpp"
#include "core/report/thread_room.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace skde;

namespace {

/// The folders proc and sys of a machine with these control groups.
class FakeMachine {
 public:
  explicit FakeMachine(const std::string& groups) { write("proc/self/cgroup", groups); }

  FakeMachine& file(const std::string& path, const std::string& text) {
    write("sys/fs/cgroup/" + path, text);
    return *this;
  }
  std::optional<std::int64_t> left() const { return left_in_control_groups(folder_.path("root")); }

 private:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path full = std::filesystem::path(folder_.path("root")) / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text << '\n';
  }
  test::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("the least of nested control groups of version 2 counts", "[control_group]") {
  const auto nested = [](const char* own, const char* above, const char* top) {
    return FakeMachine("0::/a/b\n")
        .file("a/b/memory.max", own)
        .file("a/b/memory.current", "100")
        .file("a/memory.max", above)
        .file("a/memory.current", "300")
        .file("memory.max", top)
        .file("memory.current", "5000")
        .left();
  };
  CHECK(nested("1000", "max", "max") == 900);
  CHECK(nested("max", "1000", "max") == 700);
  CHECK(nested("900", "1000", "max") == 700);
  CHECK(nested("max", "max", "9000") == 4000);
  CHECK(nested("50", "max", "max") == 0);  // usage exceeds the limit
  CHECK_FALSE(nested("max", "max", "max"));
}

TEST_CASE("control groups of version 1 are those of memory", "[control_group]") {
  const std::string groups = "9:cpu:/other\n4:hugetlb,memory:/a/b\n0::/\n";
  CHECK(FakeMachine(groups)
            .file("memory/a/b/memory.limit_in_bytes", "2000")
            .file("memory/a/b/memory.usage_in_bytes", "500")
            .file("memory/memory.limit_in_bytes", "9223372036854771712")
            .file("memory/memory.usage_in_bytes", "700")
            .file("memory/other/memory.limit_in_bytes", "10")
            .file("memory/other/memory.usage_in_bytes", "5")
            .left() == 1500);
  CHECK(FakeMachine(groups)
            .file("memory/a/memory.limit_in_bytes", "2000")
            .file("memory/a/memory.usage_in_bytes", "600")
            .left() == 1400);
}

TEST_CASE("a container that sees its group as the top one has that limit", "[control_group]") {
  CHECK(FakeMachine("0::/outside/of/it\n")
            .file("memory.max", "2000")
            .file("memory.current", "500")
            .left() == 1500);
  CHECK(FakeMachine("0::/../../above\n")
            .file("memory.max", "2000")
            .file("memory.current", "500")
            .left() == 1500);
}

TEST_CASE("without control groups there is no limit of theirs", "[control_group]") {
  CHECK_FALSE(FakeMachine("").left());
  CHECK_FALSE(FakeMachine("nonsense\n0\n:\n").left());
  CHECK_FALSE(left_in_control_groups("/nowhere"));
}

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
  omp_set_max_active_levels(0);
  CHECK(threads_worth(1, 16) == 1);
  omp_set_max_active_levels(1);
}
