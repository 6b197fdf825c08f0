// Which run begins next, as a queue of made-up times shows.

#include <catch2/catch.hpp>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "service/run_order.hpp"

namespace skde::service {
namespace {

struct Waiting {
  std::string name;
  double expected_seconds = 0;
  std::int64_t begun = 0;  ///< milliseconds
};

using Queue = std::list<std::shared_ptr<Waiting>>;

Queue queue_of(const std::vector<Waiting>& runs) {
  Queue queue;
  for (const Waiting& run : runs) queue.push_back(std::make_shared<Waiting>(run));
  return queue;
}

const auto kAnyFits = [](const Waiting&) { return true; };

}  // namespace

TEST_CASE("small runs overtake large ones", "[queue]") {
  Queue queue = queue_of({{"large", 100, 0}, {"small", 1, 2000}, {"middle", 10, 1000}});
  CHECK((*first_to_run(queue, 3000, kAnyFits))->name == "small");
  const auto is_large = [](const Waiting& run) { return run.name == "large"; };
  CHECK((*first_to_run(queue, 3000, is_large))->name == "large");
  CHECK(first_to_run(queue, 3000, [](const Waiting&) { return false; }) == queue.end());
  Queue none;
  CHECK(first_to_run(none, 3000, kAnyFits) == none.end());
}

TEST_CASE("a large run comes to its turn though small ones never end to come", "[queue]") {
  for (const double seconds : {5.0, 60.0, 600.0}) {
    Queue queue = queue_of({{"large", seconds, 0}});
    double begins = -1;
    // A worker that each second takes a run of a second, of which one comes each second.
    for (std::int64_t now = 0; now < 2000 && begins < 0; ++now) {
      queue.push_back(std::make_shared<Waiting>(Waiting{"small", 1, 1000 * now}));
      const auto chosen = first_to_run(queue, 1000 * now, kAnyFits);
      if ((*chosen)->name == "large") begins = static_cast<double>(now);
      queue.erase(chosen);
    }
    INFO(seconds);
    CHECK(begins >= seconds - 2);
    CHECK(begins <= seconds + 2);
  }
}

}  // namespace skde::service
