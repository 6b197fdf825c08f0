#include <fcntl.h>

#include "io/points/formats/point_formats.hpp"
#include "io/reader_support.hpp"
#include "io/text/text_fields.hpp"

namespace skde::test {

TEST_CASE("Formats are recognised by their first bytes before their names", "[points]") {
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
      "property float y\nproperty float z\nend_header\n1 2 3\n";
  check_rows("cloud.xyz", ply, {1, 2, 3});
  check_rows("standard input", ply, {1, 2, 3});
  check_rows("standard input", "1 2 3\n", {1, 2, 3});
  check_refused("cloud.ply", "1 2 3\n", {"cloud.ply: line 1", "PLY"});
  check_refused("CLOUD.PLY", "1 2 3\n", {"CLOUD.PLY: line 1", "PLY"});
  check_refused("cloud.pcd", "1 2 3\n", {"not a PCD file"});
  check_refused("cloud.npy", "1 2 3\n", {"not an NPY file"});
}

TEST_CASE("Garbage and nothing are refused", "[points]") {
  check_refused("cloud.bin", std::string("\x7f\x45\x4c\x46\0\1", 6),
                {"cloud.bin: its format is not one", "ply, pcd, npy, ", "skde formats"});
  check_refused("cloud.csv", "", {"cloud.csv: is empty"});
  check_refused("cloud.csv", std::string("\xff\xfe\0\1", 4),
                {"cloud.csv: its first bytes are not text"});
}

TEST_CASE("Files that cannot be opened are refused with the reason", "[points]") {
  const std::string missing = "/nonexistent/cloud.ply";
  check_error([&] { io::open_points(missing, {}); }, ErrorKind::input,
              {missing, "No such file or directory"});
  check_error([] { io::open_points("/tmp", {}); }, ErrorKind::input, {"/tmp: is a directory"});
  const TemporaryFile empty("empty.csv", "");
  check_error([&] { io::open_points(empty.path(), {}); }, ErrorKind::input, {"is empty"});
}

TEST_CASE("Real files have a size and give their rows", "[points]") {
  const TemporaryFile file("three.csv", "x,y,z\n1,2,3\n4,5,6\n");
  const auto reader = io::open_points(file.path(), {});
  CHECK(reader->bytes_total() == 18);
  CHECK(drain(*reader, 1).xyz == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(reader->bytes_read() == 18);
}

TEST_CASE("Standard input is read to its end and keeps its size to itself", "[points]") {
  const TemporaryFile file("stdin.csv", "x,y,z\n1,2,3\n4,5,6\n");
  const int saved = ::dup(STDIN_FILENO);
  const int opened = ::open(file.path().c_str(), O_RDONLY);
  REQUIRE(::dup2(opened, STDIN_FILENO) == STDIN_FILENO);
  ReadRows rows;
  std::uint64_t total = 1;
  {
    const auto reader = io::open_points("-", {});
    total = reader->bytes_total();
    rows = drain(*reader, 10);
  }
  const bool still_open = ::fcntl(STDIN_FILENO, F_GETFD) != -1;
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(opened);
  CHECK(rows.xyz == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(total == 0);
  CHECK(still_open);
}

TEST_CASE("The table of point formats names each once, text last", "[points]") {
  std::vector<std::string_view> extensions;
  for (const io::PointFormat& format : io::point_formats()) {
    CHECK_FALSE(format.summary.empty());
    for (std::string_view extension : io::split_words(format.extensions)) {
      CHECK(extension.front() == '.');
      CHECK(std::count(extensions.begin(), extensions.end(), extension) == 0);
      extensions.push_back(extension);
    }
  }
  CHECK(io::point_formats().back().name == "text");
  CHECK(extensions.size() >= 7);
}

TEST_CASE("A buffered source gives lines, bytes and a look ahead", "[points]") {
  const std::string bytes = "one\r\ntwo\n\nlast";
  for (std::size_t buffer : {1, 3, 1000}) {
    for (bool piped : {false, true}) {
      INFO("buffer of " << buffer << (piped ? ", piped" : ""));
      auto source =
          piped ? std::make_unique<PipeSource>("s", bytes) : io::memory_source("s", bytes);
      io::BufferedSource buffered(std::move(source), buffer);
      CHECK(buffered.peek(5).substr(0, 5) == "one\r\n");
      CHECK(buffered.line() == "one");
      CHECK(buffered.position() == 5);
      char two[3];
      CHECK(buffered.read(two, 3) == 3);
      CHECK(std::string_view(two, 3) == "two");
      CHECK(buffered.line() == "");
      CHECK(buffered.line() == "");
      CHECK(buffered.skip(2) == 2);
      CHECK(buffered.line() == "st");
      CHECK_FALSE(buffered.line());
      CHECK(buffered.skip(9) == 0);
      CHECK(buffered.position() == bytes.size());
    }
  }
}

TEST_CASE("A long line is read in few pieces", "[points]") {
  /// Counts the calls of read().
  class CountingSource final : public io::ByteSource {
   public:
    CountingSource(std::string bytes, int& asked) : bytes_(std::move(bytes)), asked_(asked) {}
    const std::string& name() const override { return name_; }
    std::optional<std::uint64_t> size() const override { return bytes_.size(); }
    std::size_t read(char* to, std::size_t most) override {
      ++asked_;
      const std::size_t count = bytes_.copy(to, most, at_);
      at_ += count;
      return count;
    }

   private:
    std::string name_ = "long", bytes_;
    std::size_t at_ = 0;
    int& asked_;
  };
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  for (const std::string end : {"", "\r", "\n", "\r\nx"}) {
    int asked = 0;
    io::BufferedSource source(
        std::make_unique<CountingSource>(std::string(kMebibyte - 9, '1') + end, asked));
    INFO("an end of " << end.size() << " bytes");
    CHECK(source.line() == std::string(kMebibyte - 9, '1'));
    CHECK(asked < 20);
  }
  int asked = 0;
  io::BufferedSource source(
      std::make_unique<CountingSource>(std::string(3 * kMebibyte, '1'), asked));
  CHECK_THROWS_WITH(source.line(), Catch::Matchers::ContainsSubstring("longer than 1 MiB"));
  CHECK(asked < 20);
}

TEST_CASE("A buffered source goes to any byte of a file and never past its end", "[points]") {
  const TemporaryFile file("digits", "0123456789");
  io::BufferedSource source(io::open_source(file.path()), 4);
  REQUIRE(source.seekable());
  source.seek(7);
  CHECK(source.peek(2).substr(0, 2) == "78");
  source.seek(2);
  CHECK(source.skip(5) == 5);
  CHECK(source.position() == 7);
  CHECK(source.skip(100) == 3);
  CHECK(source.position() == 10);
  CHECK(source.peek(1).empty());
  char all[10];
  source.seek(0);
  CHECK(source.read(all, 10) == 10);
  CHECK(std::string_view(all, 10) == "0123456789");
}

}  // namespace skde::test
