#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>

#include "bench/bench_commands.hpp"
#include "bench/example_run.hpp"
#include "bench/results/result_rows.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::bench;
using test::says;
using test::thrown_error;

namespace {

namespace fs = std::filesystem;

/// A folder with results: two methods and two N of the example.
struct Folder {
  test::TemporaryFolder folder;
  std::string input;
  fs::path path = folder.path("");

  Folder() {
    RunRecord run = test::example_run();
    std::erase_if(run.results, [](const Result& r) {
      return r.cells != 10 || r.samples > 1000 || (r.method != "span" && r.method != "openmp");
    });
    input = folder.file("results.json", results_json(run));
  }
};

Error message(std::vector<std::string> arguments) {
  return thrown_error([&] { kReport.run({std::move(arguments), ""}); });
}

}  // namespace

TEST_CASE("report writes a folder or a page, and the plots beside it") {
  const Folder folder;
  const fs::path out = folder.path / "new" / "folder";
  kReport.run({{folder.input, "-o", out.string(), "--quiet"}, ""});
  const std::string text = test::content_of((out / "report.html").string());
  CHECK(text.starts_with("<!DOCTYPE html>"));
  CHECK(text.find("Speed-up over openmp against N") != text.npos);
  CHECK_FALSE(fs::exists(out / "plots"));
  const fs::path page = folder.path / "page.html";
  kReport.run(
      {{folder.input, "-o", page.string(), "--plots", "--quiet", "--baseline", "span"}, ""});
  CHECK(test::content_of(page.string()).find("Speed-up over span against N") != text.npos);
  // Three quantities against N, a roofline and the errors; each as SVG and PNG, light and dark.
  const auto files = std::distance(fs::directory_iterator(folder.path / "plots"), {});
  CHECK(files == 4 * (3 + 1 + 1));
}

TEST_CASE("report says what is wrong with its flags") {
  const Folder folder;
  CHECK(says(message({}), "needs one file"));
  CHECK(says(message({folder.input}), "no page is given"));
  CHECK(says(message({folder.input, "-o", "x.html", "--baseline", "openmpi"}), "openmp"));
  CHECK(message({folder.input, "-o", "/no/such/page.html"}).kind() == ErrorKind::output);
  CHECK(message({"/no/such.json", "-o", "x.html"}).kind() == ErrorKind::input);
  CHECK(
      says(message({folder.folder.file("a.html", "{}"), "-o", folder.path / "a.html"}), "format"));
  CHECK_FALSE(fs::exists("x.html"));
}

TEST_CASE("report names the packages where no Python has its modules") {
  const Folder folder;
  const std::string bare =
      folder.folder.file("bare", "#!/bin/sh\necho \"No module named 'matplotlib'\" >&2\nexit 1\n");
  fs::permissions(bare, fs::perms::owner_all);
  for (const std::string& python : {bare, std::string("/no/such/python")}) {
    const std::string page = folder.path / "page.html";
    const Error error = message({folder.input, "-o", page, "--python", python});
    CHECK(error.kind() == ErrorKind::resources);
    CHECK(says(error, python));
    CHECK(says(error, "python3-matplotlib and python3-jinja2"));
    CHECK_FALSE(fs::exists(page));
  }
}

TEST_CASE("a script that fails leaves no page behind, and the one before as it was") {
  const Folder folder;
  const std::string page = folder.folder.file("page.html", "old");
  const std::string broken = folder.folder.file(
      "broken", "#!/bin/sh\ntest \"$1\" = -c && exit 0\necho 'MemoryError: no room' >&2\nexit 3\n");
  fs::permissions(broken, fs::perms::owner_all);
  const Error error = message({folder.input, "-o", page, "--python", broken});
  CHECK(error.kind() == ErrorKind::resources);
  CHECK(says(error, "ended with 3: MemoryError: no room"));
  CHECK(test::content_of(page) == "old");
}

TEST_CASE("rows on terminals tell precision and kernel") {
  Result r = test::example_run().results.front();
  CHECK(method_text(r) == "naive");
  r.precision = "f64";
  r.kernel = kGaussianKernel;
  CHECK(method_text(r) == "naive f64");
  r.error.reset();
  CHECK(result_row(r).ends_with("  other kernel\n"));
  r.error = 2e-7;  // an engine is compared with the Gaussian
  CHECK(result_row(r).find("2.0e-07") != std::string::npos);
  CHECK(result_row(r).find("other kernel") == std::string::npos);
}
