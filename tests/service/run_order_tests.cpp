// Which run starts next, in queues with made-up times.

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "service/jobs/run_queue.hpp"
#include "support/catch.hpp"

namespace skde::service {
namespace {

struct Waiting {
  std::string name;
  double expected_seconds = 0;
  std::int64_t begun = 0;  ///< when it was queued, in milliseconds
  std::string owner{};
};

using Queue = std::list<std::shared_ptr<Waiting>>;

Queue queue_of(const std::vector<Waiting>& runs) {
  Queue queue;
  for (const Waiting& run : runs) queue.push_back(std::make_shared<Waiting>(run));
  return queue;
}

const auto kAnyFits = [](const Waiting&) { return true; };
const auto kOneToken = [](const Waiting&) { return std::uint64_t{1}; };

}  // namespace

TEST_CASE("small runs overtake large ones", "[queue]") {
  Queue queue = queue_of({{"large", 100, 0}, {"small", 1, 2000}, {"middle", 10, 1000}});
  CHECK((*first_to_run(queue, 3000, kAnyFits, kOneToken))->name == "small");
  const auto is_large = [](const Waiting& run) { return run.name == "large"; };
  CHECK((*first_to_run(queue, 3000, is_large, kOneToken))->name == "large");
  const auto none_fits = [](const Waiting&) { return false; };
  CHECK(first_to_run(queue, 3000, none_fits, kOneToken) == queue.end());
  Queue none;
  CHECK(first_to_run(none, 3000, kAnyFits, kOneToken) == none.end());
}

TEST_CASE("a large run comes to its turn though small ones never end to come", "[queue]") {
  for (const double seconds : {5.0, 60.0, 600.0}) {
    Queue queue = queue_of({{"large", seconds, 0}});
    double begins = -1;
    // A worker takes one run per second, each of one second, and one new run arrives per second.
    for (std::int64_t now = 0; now < 2000 && begins < 0; ++now) {
      queue.push_back(std::make_shared<Waiting>(Waiting{"small", 1, 1000 * now}));
      const auto chosen = first_to_run(queue, 1000 * now, kAnyFits, kOneToken);
      if ((*chosen)->name == "large") begins = static_cast<double>(now);
      queue.erase(chosen);
    }
    INFO(seconds);
    CHECK(begins >= seconds - 2);
    CHECK(begins <= seconds + 2);
  }
}

TEST_CASE("tokens take turns, however many runs one of them has", "[queue]") {
  Queue queue;
  for (int i = 0; i < 1000; ++i)
    queue.push_back(std::make_shared<Waiting>(Waiting{"small", 0.1, 0, "many"}));
  for (int i = 0; i < 3; ++i)
    queue.push_back(std::make_shared<Waiting>(Waiting{"large", 100, 5000, "few"}));
  std::map<std::string, std::uint64_t> turns;
  std::string order;
  for (std::uint64_t turn = 1; turn <= 8; ++turn) {
    const auto chosen =
        first_to_run(queue, 10000, kAnyFits, [&](const Waiting& run) { return turns[run.owner]; });
    turns[(*chosen)->owner] = turn;
    order += (*chosen)->owner[0];
    queue.erase(chosen);
  }
  CHECK(order == "mfmfmfmm");
}

}  // namespace skde::service
