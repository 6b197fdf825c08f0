#include "bench/report/report_page.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>
#include <string>

#include "bench/example_run.hpp"
#include "bench/report/chart_drawing.hpp"
#include "bench/report/html_text.hpp"
#include "bench/results/result_cases.hpp"
#include "bench/results/result_commands.hpp"
#include "bench/results/result_rows.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::bench;
using test::says;
using test::thrown_error;

namespace {

namespace fs = std::filesystem;

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// The plots of a page; none where skde was built without pictures.
std::vector<Plot> page_plots(const RunRecord& run) {
  return can_draw_charts() ? plots_of(run, "openmp") : std::vector<Plot>{};
}

/// A folder with the example's results in it.
struct Folder {
  test::TemporaryFolder folder;
  std::string input = folder.file("results.json", results_json(test::example_run()));
  fs::path path = folder.path("");
};

}  // namespace

TEST_CASE("the page has every result, every plot and the machine") {
  const RunRecord run = test::example_run();
  const std::vector<Plot> plots = page_plots(run);
  const std::string page = report_page(run, "openmp", plots);
  CHECK(occurrences(page, "<span class=\"status\">") == run.results.size());
  CHECK(occurrences(page, "<svg ") == plots.size());
  for (const Result& r : run.results) {
    CHECK(has(page, html_escaped(case_text(case_of(r)))));
    if (r.status != Status::ok) CHECK(has(page, html_escaped(r.reason)));
  }
  CHECK(has(page, "A CPU &amp; Sons &lt;2 GHz&gt;, 2 cores"));
  CHECK(has(page, "NVIDIA H200"));
  CHECK(has(page, "commit abcdef0"));
  CHECK(has(page, "96 results: 94 ok, 1 skipped, 1 wrong"));
  CHECK_FALSE(has(page, "The run was stopped"));
}

TEST_CASE("a peer that is off the density shows its error beside its times") {
  RunRecord run = test::example_run();
  const auto row = std::ranges::find(run.results, "openmp", &Result::method);
  row->method = "mpdfestimator";
  row->status = Status::inexact;
  row->reason = "off the density by 0.07 of the peak";
  row->error = 0.07;
  const std::string page = report_page(run, "span", {});
  CHECK(has(page, "1 inexact"));
  const std::size_t begin = page.find("<tr class=\"inexact\">");
  REQUIRE(begin != page.npos);
  const std::string html = page.substr(begin, page.find("</tr>", begin) - begin);
  CHECK(has(html, "mpdfestimator"));
  CHECK(has(html, "<td class=\"error\">7.0e-02</td>"));
  CHECK(has(html, "title=\"off the density by 0.07 of the peak\""));
  CHECK(has(html, "µs"));
  CHECK_FALSE(has(html, "class=\"reason\""));
}

TEST_CASE("a peer with another kernel says so in the place of its error") {
  RunRecord run = test::example_run();
  Result& scipy = run.results.front();
  scipy.method = "scipy";
  scipy.kernel = kGaussianKernel;
  scipy.policy = "scipy 1.10";
  scipy.error.reset();
  const std::string page = report_page(run, "openmp", {});
  CHECK(has(page, "title=\"scipy 1.10\">scipy (gaussian)"));
  CHECK(has(page, "<td class=\"error\">other kernel</td>"));
  CHECK(result_row(scipy).ends_with("  other kernel\n"));
}

TEST_CASE("the page refers to nothing outside itself") {
  const RunRecord run = test::example_run();
  const std::string page = report_page(run, "openmp", page_plots(run));
  for (const char* const part : {"http:", "https:", "src=", "@import", "<link", "<script", "file:"})
    CHECK_FALSE(has(page, part));
  CHECK(occurrences(page, "href=\"") == occurrences(page, "href=\"#"));
  CHECK(occurrences(page, "url(") == occurrences(page, "url(#"));
}

TEST_CASE("every link of the page leads somewhere") {
  const RunRecord run = test::example_run();
  const std::string page = report_page(run, "openmp", {});
  for (std::size_t at = page.find("href=\"#"); at != page.npos;
       at = page.find("href=\"#", at + 1)) {
    const std::string id = page.substr(at + 7, page.find('"', at + 7) - at - 7);
    CHECK(occurrences(page, " id=\"" + id + "\"") == 1);
  }
}

TEST_CASE("what a file says cannot become markup") {
  RunRecord run = test::example_run();
  run.command_line = "<script>alert('x')</script>";
  run.results[0].method = "<b onclick=\"x\">";
  const std::string page = report_page(run, "openmp", page_plots(run));
  CHECK_FALSE(has(page, "<script"));
  CHECK_FALSE(has(page, "<b "));
  CHECK(has(page, "&lt;b onclick=&quot;x&quot;&gt;"));
}

TEST_CASE("a stopped run says so, and one without baseline has no ratios") {
  RunRecord run = test::example_run();
  run.cancelled = true;
  const std::string page = report_page(run, "", {});
  CHECK(has(page, "The run was stopped"));
  CHECK_FALSE(has(page, "against "));
}

TEST_CASE("report writes a folder or a page and the plots beside it") {
  const Folder folder;
  const fs::path out = folder.path / "new" / "folder";
  run_report({{folder.input, "-o", out.string(), "--quiet"}, ""});
  CHECK(fs::file_size(out / "report.html") > 10000);
  CHECK_FALSE(fs::exists(out / "plots"));
  if (!can_draw_charts()) return;
  const fs::path page = folder.path / "page.html";
  run_report({{folder.input, "-o", page.string(), "--plots", "--quiet"}, ""});
  CHECK(fs::exists(page));
  const auto files = std::distance(fs::directory_iterator(folder.path / "plots"), {});
  CHECK(static_cast<std::size_t>(files) == 2 * plots_of(test::example_run(), "openmp").size());
}

TEST_CASE("report says what is wrong with its flags") {
  const Folder folder;
  const auto message = [&](std::vector<std::string> arguments) {
    return thrown_error([&] { run_report({std::move(arguments), ""}); });
  };
  CHECK(says(message({}), "takes one file"));
  CHECK(says(message({folder.input}), "no page is named"));
  CHECK(says(message({folder.input, "-o", "x.html", "--baseline", "openmpi"}), "openmp"));
  CHECK(message({folder.input, "-o", "/no/such/page.html"}).kind() == ErrorKind::output);
  CHECK(message({"/no/such.json", "-o", "x.html"}).kind() == ErrorKind::input);
}
