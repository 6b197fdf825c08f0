#include <fstream>
#include <functional>

#include "io/points/cloud_stream.hpp"
#include "io/points/point_table.hpp"
#include "io/reader_support.hpp"
#include "support/thrown_error.hpp"

namespace skde::test {
namespace {

using io::NonFinite;

/// Records all reports, and cancels after `cancel_after` updates.
class NotedProgress final : public Progress {
 public:
  explicit NotedProgress(int cancel_after = 1 << 30) : cancel_after_(cancel_after) {}
  void begin(std::string_view stage, std::uint64_t total, std::string_view) override {
    stages.emplace_back(stage);
    totals.push_back(total);
  }
  void update(std::uint64_t done) override {
    ++updates_;
    last = done;
  }
  bool cancelled() const override { return updates_ >= cancel_after_; }

  std::vector<std::string> stages;
  std::vector<std::uint64_t> totals;
  std::uint64_t last = 0;

 private:
  int updates_ = 0;
  int cancel_after_;
};

}  // namespace

TEST_CASE("Several inputs of several formats are one cloud", "[cloud]") {
  const TemporaryFile csv("a.csv", "x,y,z\n1,2,3\n4,5,6\n");
  const TemporaryFile ply("b.ply",
                          "ply\nformat binary_little_endian 1.0\nelement vertex 1\n"
                          "property float x\nproperty float y\nproperty float z\nend_header\n" +
                              stored<float>({7, 8, 9}));
  const auto cloud = load({csv.path(), ply.path(), csv.path()});
  CHECK(cloud.points.xyz == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6});
  CHECK(cloud.points.weights.empty());
  CHECK(cloud.counts.rows == 5);
  CHECK(cloud.counts.samples() == 5);
}

TEST_CASE("A file that is written to while it is read is an error, not a mixture", "[cloud]") {
  std::string text = "x,y,z\n";
  for (int row = 0; row < 5000; ++row) text += "1,2,3\n";
  const TemporaryFile file("a.csv", text);
  NoProgress silent;
  const auto write_to = [&] { std::ofstream(file.path(), std::ios::app) << "4,5,6\n"; };
  for (const int threads : {1, 2}) {
    io::CloudStream stream({file.path()}, {}, NonFinite::drop, {.threads = threads});
    Samples chunk;
    REQUIRE(stream.read(chunk, 10, silent));
    write_to();
    const Error error = thrown_error([&] {
      while (stream.read(chunk, 1000, silent)) {
      }
    });
    CHECK(error.kind() == ErrorKind::input);
    CHECK_THAT(error.what(),
               Catch::Matchers::ContainsSubstring("a.csv: changed while it was being read"));
  }
  class WritingProgress final : public Progress {
   public:
    explicit WritingProgress(std::function<void()> write) : write_(std::move(write)) {}
    void begin(std::string_view, std::uint64_t, std::string_view) override { write_(); }
    void update(std::uint64_t) override {}
    bool cancelled() const override { return false; }

   private:
    std::function<void()> write_;
  };
  WritingProgress writing(write_to);
  CHECK_THAT(thrown_error([&] { io::read_point_table(file.path(), {}, writing); }).what(),
             Catch::Matchers::ContainsSubstring("a.csv: changed while it was being read"));
}

TEST_CASE("Rows that are not finite or weigh nothing are dropped and counted", "[cloud]") {
  const TemporaryFile csv("a.csv",
                          "x,y,z,w\n1,2,3,1\nnan,2,3,1\n1,inf,3,1\n1,2,,1\n1,2,3,nan\n"
                          "1,2,3,inf\n1,2,3,0\n4,5,6,2.5\n");
  const auto weighted = load({csv.path()}, {{}, "w"});
  CHECK(weighted.points.xyz == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(weighted.points.weights == std::vector<double>{1, 2.5});
  CHECK(weighted.counts.rows == 8);
  CHECK(weighted.counts.non_finite == 5);
  CHECK(weighted.counts.zero_weight == 1);
  CHECK(weighted.counts.samples() == 2);

  const auto plain = load({csv.path()});
  CHECK(plain.points.size() == 5);
  CHECK(plain.points.weights.empty());
  CHECK(plain.counts.non_finite == 3);
  CHECK(plain.counts.zero_weight == 0);
}

TEST_CASE("Rows that are not finite are errors where that is asked for", "[cloud]") {
  const TemporaryFile csv("a.csv", "x,y,z,w\n1,2,3,1\n\n1,-inf,3,nan\n1,2,3,nan\n");
  check_error([&] { load({csv.path()}, {}, NonFinite::error); }, ErrorKind::input,
              {csv.path() + ": line 4", "y is -inf", "`nan=drop`"});
  const TemporaryFile weights("w.csv", "x,y,z,w\n1,2,3,1\n1,2,3,nan\n");
  check_error(
      [&] {
        load({weights.path()}, {{}, "w"}, NonFinite::error);
      },
      ErrorKind::input, {"line 3", "the weight is nan"});
}

TEST_CASE("Negative weights are errors that name the row", "[cloud]") {
  const TemporaryFile csv("a.csv", "x,y,z,w\n1,2,3,1\n1,2,3,-0.5\n");
  check_error(
      [&] {
        load({csv.path()}, {{}, "w"});
      },
      ErrorKind::input, {csv.path() + ": line 3", "weight -0.5 is negative"});
  CHECK(load({csv.path()}).points.size() == 2);
  const std::string header =
      "ply\nformat binary_big_endian 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
      "property float z\nproperty float w\nend_header\n";
  const TemporaryFile ply("b.ply", header + stored<float>({1, 2, 3, 4, 5, 6, 7, -8}, true));
  check_error([&] { load({ply.path()}, {{}, "w"}); }, ErrorKind::input, {"b.ply: row 2", "-8"});
}

TEST_CASE("A stream gives chunks of at most the size asked for and then no more", "[cloud]") {
  const TemporaryFile a("a.csv", "1,2,3\nnan,0,0\nnan,0,0\n4,5,6\n7,8,9\n");
  const TemporaryFile b("b.csv", "nan,0,0\n1,1,1\n");
  io::CloudStream stream({a.path(), b.path()}, {}, NonFinite::drop);
  NotedProgress progress;
  Samples chunk;
  std::vector<double> xyz;
  while (stream.read(chunk, 2, progress)) {
    CHECK(chunk.size() >= 1);
    CHECK(chunk.size() <= 2);
    xyz.insert(xyz.end(), chunk.xyz.begin(), chunk.xyz.end());
  }
  CHECK(xyz == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1});
  CHECK(stream.counts().non_finite == 3);
  CHECK_FALSE(stream.read(chunk, 2, progress));
  CHECK(chunk.size() == 0);
  CHECK(progress.stages == std::vector<std::string>{"reading " + a.path(), "reading " + b.path()});
  CHECK(progress.totals == std::vector<std::uint64_t>{34, 14});
  CHECK(progress.last == 14);
}

TEST_CASE("A stream opens its first input at once and the others when they are reached",
          "[cloud]") {
  const TemporaryFile a("a.csv", "1,2,3\n");
  check_error([&] { io::CloudStream({"/nonexistent.csv"}, {}, NonFinite::drop); }, ErrorKind::input,
              {"/nonexistent.csv"});
  io::CloudStream stream({a.path(), "/nonexistent.csv"}, {}, NonFinite::drop);
  NoProgress progress;
  Samples chunk;
  CHECK(stream.read(chunk, 10, progress));
  check_error([&] { stream.read(chunk, 10, progress); }, ErrorKind::input, {"/nonexistent.csv"});
}

TEST_CASE("A stream says how many rows a checked header promises", "[cloud]") {
  const TemporaryFile csv("a.csv", "1,2,3\n");
  CHECK(io::CloudStream({csv.path()}, {}, NonFinite::drop).checked_rows() == 0);
  const TemporaryFile ply("b.ply",
                          "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
                          "property float y\nproperty float z\nend_header\n1 2 3\n");
  CHECK(io::CloudStream({ply.path()}, {}, NonFinite::drop).checked_rows() == 1);
}

TEST_CASE("A stream can be cancelled between chunks", "[cloud]") {
  const TemporaryFile csv("a.csv", "1,2,3\n4,5,6\n");
  io::CloudStream stream({csv.path()}, {}, NonFinite::drop);
  NotedProgress progress(1);
  Samples chunk;
  CHECK(stream.read(chunk, 1, progress));
  check_error([&] { stream.read(chunk, 1, progress); }, ErrorKind::cancelled, {"cancel"});
}

TEST_CASE("A stream without inputs or with standard input twice is a usage error", "[cloud]") {
  check_error([] { io::CloudStream({}, {}, NonFinite::drop); }, ErrorKind::usage, {"no input"});
  check_error(
      [] {
        io::CloudStream({"-", "-"}, {}, NonFinite::drop);
      },
      ErrorKind::usage, {"only once"});
}

}  // namespace skde::test
