#include "order/file_sort.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <tuple>

#include "io/points/row_index.hpp"
#include "io/values/npy_header.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::test;

namespace {

struct FileRow {
  float x, y, z;
  std::int64_t number;
  char name[5];  // NOLINT(modernize-avoid-c-arrays)
} __attribute__((packed));

std::vector<FileRow> file_rows(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<FileRow> rows(count);
  for (FileRow& row : rows) {
    row = {static_cast<float>(random() % 1000),
           static_cast<float>(random() % 1000),
           static_cast<float>(random() % 1000),
           static_cast<std::int64_t>((std::uint64_t{1} << 60) + random() % 40),
           {}};
    for (char& letter : row.name) letter = static_cast<char>('a' + random() % 26);
  }
  return rows;
}

std::string_view bytes_of(const std::vector<FileRow>& rows) {
  return {reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(FileRow)};
}

/// A structured array with a column of texts, as NumPy writes it.
std::string npy_of(const std::vector<FileRow>& rows) {
  std::string text =
      "{'descr': [('x', '<f4'), ('y', '<f4'), ('z', '<f4'), ('number', '<i8'), "
      "('name', '|S5')], 'fortran_order': False, 'shape': (" +
      std::to_string(rows.size()) + ",), }";
  while ((text.size() + 11) % 64 != 0) text += ' ';
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 0xff);
  head += static_cast<char>(text.size() >> 8);
  return head + text + std::string(bytes_of(rows));
}

std::string ply_of(const std::vector<FileRow>& rows, const std::string& comment) {
  std::string head = "ply\nformat binary_little_endian 1.0\ncomment " + comment +
                     "\nelement vertex " + std::to_string(rows.size()) + "\n";
  for (const char* const name : {"float x", "float y", "float z", "int low", "int high"})
    head += std::string("property ") + name + "\n";
  for (const char letter : {'a', 'b', 'c', 'd', 'e'})
    head += std::string("property uchar letter_") + letter + "\n";
  return head + "end_header\n" + std::string(bytes_of(rows));
}

void sort_by_number(std::vector<FileRow>& rows) {
  std::ranges::stable_sort(rows,
                           [](const FileRow& a, const FileRow& b) { return a.number < b.number; });
}

std::vector<FileRow> joined(std::vector<FileRow> rows, const std::vector<FileRow>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

FileSortFacts sorted_file(FileSort job, std::int64_t memory = std::int64_t{1} << 28) {
  job.memory_limit = memory;
  return sort_files(job, *cpu_key_sorter(), silent);
}

/// Asks to stop at the first progress of a stage.
class StopAt final : public Progress {
 public:
  explicit StopAt(std::string stage) : stage_(std::move(stage)) {}
  void begin(std::string_view stage, std::uint64_t, std::string_view) override {
    cancelled_ = stage == stage_;
  }
  void update(std::uint64_t) override {}
  bool cancelled() const override { return cancelled_; }

 private:
  std::string stage_;
  bool cancelled_ = false;
};

}  // namespace

TEST_CASE("sorted files keep every byte of their rows and what their headers say") {
  const TemporaryFolder folder;
  const std::vector<FileRow> one = file_rows(3'000, 1), two = file_rows(1'000, 2);
  std::vector<FileRow> sorted = joined(one, two);
  sort_by_number(sorted);
  const std::int64_t memory = GENERATE(60'000, 10'000'000);
  SECTION("NPY with columns of texts and of 64 bits") {
    const FileSort job{{folder.file("1.npy", npy_of(one)), folder.file("2.npy", npy_of(two))},
                       folder.path("o.npy"),
                       "number"};
    const FileSortFacts facts = sorted_file(job, memory);
    CHECK(facts.rows == sorted.size());
    CHECK((facts.runs > 1) == (memory < 100'000));
    CHECK(content_of(job.output) == npy_of(sorted));
  }
  SECTION("PLY with comments") {
    const FileSort job{{folder.file("1.ply", ply_of(one, "scanned 2020")),
                        folder.file("2.ply", ply_of(two, "scanned 2021"))},
                       folder.path("o.ply"),
                       "high"};
    std::vector<FileRow> by_high = joined(one, two);
    std::ranges::stable_sort(by_high, [](const FileRow& a, const FileRow& b) {
      return (a.number >> 32) < (b.number >> 32);
    });
    sorted_file(job, memory);
    CHECK(content_of(job.output) == ply_of(by_high, "scanned 2020"));
  }
  CHECK(folder.names().size() == 3);
}

TEST_CASE("an interrupted sort leaves nothing") {
  const TemporaryFolder folder;
  const FileSort job{{folder.file("1.npy", npy_of(file_rows(5'000, 1)))},
                     folder.path("o.npy"),
                     "hilbert",
                     false,
                     true};
  for (const char* const stage : {"find the bounds", "sort in runs", "merge the runs",
                                  "index the rows", "read the rows", "write the rows"})
    for (const std::int64_t memory : {60'000, 10'000'000}) {
      FileSort limited = job;
      limited.memory_limit = memory;
      StopAt progress(stage);
      try {
        sort_files(limited, *cpu_key_sorter(), progress);
        CHECK(folder.names() == std::vector<std::string>{"1.npy", "o.npy", "o.npy.json"});
        std::filesystem::remove(folder.path("o.npy"));
        std::filesystem::remove(folder.path("o.npy.json"));
      } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::cancelled);
        CHECK(folder.names() == std::vector<std::string>{"1.npy"});
      }
    }
}

TEST_CASE("the index of a sorted file describes its rows") {
  const TemporaryFolder folder;
  const std::vector<FileRow> rows = file_rows(70'000, 4);
  const FileSort job{
      {folder.file("1.npy", npy_of(rows))}, folder.path("o.npy"), "morton", false, true};
  CHECK(sorted_file(job).index_blocks == 2);
  const auto index = io::read_row_index(job.output, {});
  REQUIRE(index);
  CHECK(index->rows == rows.size());
  CHECK(index->blocks.at(1).rows == rows.size() - io::RowIndex::kRowsABlock);
  CHECK(index->file_bytes == content_of(job.output).size());
  CHECK(index->moments.bounds().upper == Vec3{999, 999, 999});
}

TEST_CASE("a table that is written as NPY has an index too") {
  const TemporaryFolder folder;
  const FileSort job{{folder.file("1.csv", "v,z,x,y\n7,0,3,-1\n8,5,1,4\n9,2,2,0\n")},
                     folder.path("o.npy"),
                     "x",
                     false,
                     true};
  CHECK(sorted_file(job).index_blocks == 1);
  const auto index = io::read_row_index(job.output, {});
  REQUIRE(index);
  CHECK(index->rows == 3);
  CHECK(index->columns == std::array<std::uint64_t, 3>{3, 4, 2});
  CHECK(index->moments.bounds().lower == Vec3{1, -1, 0});
  CHECK(index->moments.bounds().upper == Vec3{3, 4, 5});
}

TEST_CASE("tables are sorted in memory, and columns that would be lost are refused") {
  const TemporaryFolder folder;
  const FileSort job{{folder.file("1.csv", "x,y,z,v\n3,0,0,0.5\n1,0,0,7\n2,0,0,0.25\n")},
                     folder.path("o.csv"),
                     "x"};
  CHECK_FALSE(sorted_file(job).keeps_bytes);
  CHECK(content_of(job.output) == "x,y,z,v\n1,0,0,7\n2,0,0,0.25\n3,0,0,0.5\n");
  const auto message = [&](const FileSort& refused) {
    return std::string(thrown_error([&] { sorted_file(refused); }).what());
  };
  FileSort texts = job;
  texts.inputs = {folder.file("2.csv", "x,y,z,name\n1,2,3,oak\n")};
  texts.output = folder.path("o.ply");
  CHECK_THAT(message(texts), ContainsSubstring("would be lost: name"));
  for (const auto& [name, text, lost] :
       {std::tuple("r.csv", "\"\",\"x\",\"y\",\"z\"\n\"oak\",1,2,3\n", "column 1"),
        std::tuple("m.ply",
                   "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                   "property float z\nelement face 1\nproperty list uchar int v\nend_header\n"
                   "1 2 3\n1 0\n",
                   "element face")}) {
    FileSort lossy = job;
    lossy.inputs = {folder.file(name, text)};
    lossy.output = folder.path("o.ply");
    CHECK_THAT(message(lossy), ContainsSubstring(lost));
  }
  FileSort types = job;
  types.inputs = {folder.file("1.npy", npy_of(file_rows(10, 1)))};
  CHECK_THAT(message(types), ContainsSubstring("name the output with .npy"));
  FileSort missing = job;
  missing.by = "w";
  const Error error = thrown_error([&] { sorted_file(missing); });
  CHECK(error.parameter() == "by");
  FileSort faces = job;
  std::string ply = ply_of(file_rows(1, 1), "a");
  ply.insert(ply.find("end_header"), "element face 1\nproperty list uchar int vertex_indices\n");
  faces.inputs = {folder.file("f.ply", ply + std::string("\1\0\0\0\0", 5))};
  faces.output = folder.path("o.ply");
  CHECK_THAT(message(faces), ContainsSubstring("'face'") && ContainsSubstring("numbers"));
  FileSort unequal = job;
  std::string other = npy_of(file_rows(2, 1));
  other.replace(other.find("<i8"), 3, "<u8");
  unequal.inputs = {folder.path("1.npy"), folder.file("2.npy", other)};
  unequal.output = folder.path("o.npy");
  unequal.by = "morton";
  CHECK_THAT(message(unequal), ContainsSubstring("types differ"));
  FileSort indexed = job;
  indexed.index = true;
  CHECK_THAT(message(indexed), ContainsSubstring("only an NPY file has an index"));
}

TEST_CASE("rows of a text are sorted as they are, by all digits of whole numbers") {
  const TemporaryFolder folder;
  const std::string head = "\"\",source_id,x,y,z,cell\n",
                    one = "\"fish, 1\",5853498713190525697,3,1.50,2,12D3\n",
                    two = "\"#2\",5853498713190525696,1,2,3,007\n",
                    three = "\"say \"\"3\"\"\",5853498713190525698,2,-0.0,NA,1e5\n";
  FileSort job{{folder.file("a.csv", head + one + two + three)}, folder.path("o.csv"), "x"};
  const std::string names = "column 1,source_id,x,y,z,cell\n";
  const FileSortFacts facts = sorted_file(job);
  REQUIRE(facts.warnings.size() == 1);
  CHECK_THAT(facts.warnings[0].problem, ContainsSubstring("named: column 1"));
  CHECK(content_of(job.output) == names + two + three + one);
  job.by = "source_id";
  sorted_file(job);
  CHECK(content_of(job.output) == names + two + one + three);
  job.reverse = true;
  sorted_file(job);
  CHECK(content_of(job.output) == names + three + one + two);
  job.inputs = {
      folder.file("b.tsv", "id\tx\ty\tz\tplace\n1\t3\t0\t0\t\"Cerro\n2\t1\t0\t0\ta, b\n")};
  job.by = "x";
  job.reverse = false;
  sorted_file(job);
  CHECK(content_of(job.output) == "id,x,y,z,place\n2,1,0,0,\"a, b\"\n1,3,0,0,\"\"\"Cerro\"\n");
  job.inputs = {folder.path("a.csv")};
  job.output = folder.path("o.npy");
  const auto message = [&](const FileSort& refused) {
    return std::string(thrown_error([&] { sorted_file(refused); }).what());
  };
  job.inputs = {folder.file("c.csv", "id,x,y,z\n5853498713190525697,3,1,2\n")};
  CHECK_THAT(message(job), ContainsSubstring("round integers above 2^53 in: id"));
}

TEST_CASE("whole numbers of other files are written with all their digits") {
  const TemporaryFolder folder;
  std::string text = "{'descr': '<i8', 'fortran_order': True, 'shape': (3, 3), }";
  text += std::string(117 - text.size(), ' ') + '\n';
  std::string bytes = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text;
  const std::int64_t base = (std::int64_t{1} << 53) + 1;
  for (const std::int64_t value : {base + 4, base + 2, base, base, base, base, -base, -base, -base})
    bytes.append(reinterpret_cast<const char*>(&value), 8);
  FileSort job{{folder.file("f.npy", bytes)}, folder.path("o.xyz"), "1"};
  job.columns.coordinates = {"1", "2", "3"};
  sorted_file(job);
  CHECK(content_of(job.output) ==
        "9007199254740993 9007199254740993 -9007199254740993\n"
        "9007199254740995 9007199254740993 -9007199254740993\n"
        "9007199254740997 9007199254740993 -9007199254740993\n");
  job.output = folder.path("o.npy");
  CHECK_THAT(std::string(thrown_error([&] { sorted_file(job); }).what()),
             ContainsSubstring("2^53"));
}

TEST_CASE("records with a field named shape are joined") {
  const TemporaryFolder folder;
  const auto npy = [](std::size_t rows) {
    std::string text =
        "{'descr': [('shape', '<f8'), ('x', '<f8'), ('y', '<f8'), ('z', '<f8')], 'fortran_order': "
        "False, 'shape': (" +
        std::to_string(rows) + ",), }";
    text += std::string(181 - text.size(), ' ') + '\n';
    return std::string("\x93NUMPY\x01\x00\xb6\x00", 10) + text + std::string(rows * 32, '\0');
  };
  for (const std::size_t rows : {3, 8}) {
    const FileSort job{
        {folder.file("1.npy", npy(rows)), folder.file("2.npy", npy(2))}, folder.path("o.npy"), "x"};
    CHECK(sorted_file(job).rows == rows + 2);
    const std::string written = content_of(job.output);
    CHECK(written.find("('shape', '<f8')") != written.npos);
    CHECK(written.find("'shape': (" + std::to_string(rows + 2) + ",)") != written.npos);
  }
}

TEST_CASE("a table larger than its memory is refused before all of it is read") {
  const TemporaryFolder folder;
  std::string text = "x,y,z\n";
  for (int i = 0; i < 200'000; ++i) text += "1.5,2.5,3.5\n";
  const FileSort job{{folder.file("a.csv", text)}, folder.path("o.csv"), "x"};
  /// Counts what is read.
  class Seen final : public Progress {
   public:
    void begin(std::string_view, std::uint64_t, std::string_view) override {}
    void update(std::uint64_t done) override { bytes = std::max(bytes, done); }
    bool cancelled() const override { return false; }
    std::uint64_t bytes = 0;
  } seen;
  FileSort little = job;
  little.memory_limit = 2'000'000;
  const Error error = thrown_error([&] { sort_files(little, *cpu_key_sorter(), seen); });
  CHECK(error.kind() == ErrorKind::resources);
  CHECK(error.parameter() == "memory_limit");
  CHECK(seen.bytes < text.size() / 2);
  CHECK(sorted_file(job).rows == 200'000);
}

TEST_CASE("a file that cannot hold the index is told before the output is written") {
  const TemporaryFolder folder;
  FileSort job{{folder.file("1.csv", "x,y,z\n1,2,3\n")}, folder.path("o.npy"), "x"};
  job.index = true;
  folder.file("o.npy.json", "not json");
  const Error error = thrown_error([&] { sorted_file(job); });
  CHECK(error.kind() == ErrorKind::input);
  CHECK_THAT(error.what(), ContainsSubstring("o.npy.json"));
  CHECK_FALSE(std::filesystem::exists(job.output));
  CHECK(content_of(folder.path("o.npy.json")) == "not json");
}
