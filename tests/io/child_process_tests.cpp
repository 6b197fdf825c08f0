#include "io/bytes/child_process.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "system/stop_watch.hpp"

using namespace skde;
using namespace skde::io;
using namespace skde::test;

namespace {

class Stopped final : public Progress {
 public:
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  bool cancelled() const override { return running_.seconds() > 0.2; }

 private:
  StopWatch running_;
};

struct Ran {
  ProgramEnd end;
  std::vector<std::string> lines;
};

/// Runs shell commands until they have printed `most` lines.
Ran ran(const std::string& commands, double patience = 20, std::size_t most = 100) {
  Ran all;
  all.end =
      run_program({"sh", "-c", commands}, patience, NoProgress(), [&](const std::string& line) {
        all.lines.push_back(line);
        return all.lines.size() < most;
      });
  return all;
}

}  // namespace

TEST_CASE("a program's objects are taken and its other words are its complaint") {
  const Ran all = ran("echo '{1}'; echo hello; echo '{2}'; echo; echo oops >&2; exit 3");
  CHECK(all.lines == std::vector<std::string>{"{1}", "{2}"});
  CHECK(all.end.code == 3);
  CHECK_FALSE(all.end.late);
  CHECK(all.end.complaint == "oops");
  CHECK(ran("exit 0").end.complaint.empty());
  CHECK(ran("yes x | head -c 5000 | tr -d '\\n'; echo").end.complaint.size() == 300);
  CHECK(ran("kill -9 $$").end.code == 128 + 9);
}

TEST_CASE("a program has no input and its own lines however they come") {
  CHECK(ran("cat; echo '{end}'").lines.size() == 1);
  CHECK(ran("printf '{a'; sleep 0.3; echo 'b}'").lines == std::vector<std::string>{"{ab}"});
  CHECK(ran("i=0; while [ $i -lt 3000 ]; do echo \"{$i}\"; i=$((i+1)); done", 20, 9999)
            .lines.size() == 3000);
}

TEST_CASE("a program that is silent for too long is ended with all that it started") {
  const TemporaryFolder folder;
  const StopWatch watch;
  const std::string started = folder.path("started"), late = folder.path("late");
  const Ran all =
      ran("(sleep 2; touch " + late + ") & touch " + started + "; echo '{}'; wait", 0.3);
  CHECK(all.end.late);
  CHECK(all.lines.size() == 1);
  CHECK(ran("while true; do echo x; sleep 0.05; done", 0.3).end.late);  // not JSON objects
  CHECK(watch.seconds() < 10);
  ran("sleep 2");
  CHECK(folder.names() == std::vector<std::string>{"started"});
}

TEST_CASE("a program ends where its taker has enough, or its user stops") {
  const StopWatch watch;
  CHECK(ran("echo '{1}'; echo '{2}'; sleep 60", 20, 1).lines.size() == 1);
  const Error error = thrown_error([] {
    run_program({"sleep", "60"}, 20, Stopped(), [](const std::string&) { return true; });
  });
  CHECK(error.kind() == ErrorKind::cancelled);
  CHECK(watch.seconds() < 10);
}

TEST_CASE("a program that is not there ends with 127") {
  for (const std::string name : {"/no/such/program", "no-such-program"}) {
    const ProgramEnd end =
        run_program({name}, 20, NoProgress(), [](const std::string&) { return true; });
    CHECK(end.code == 127);
    CHECK(end.complaint == "cannot be run: No such file or directory");
  }
}
