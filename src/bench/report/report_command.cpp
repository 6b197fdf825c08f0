#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bench/report/chart_drawing.hpp"
#include "bench/report/report_page.hpp"
#include "bench/results/result_cases.hpp"
#include "bench/results/result_commands.hpp"
#include "cli/cancellation.hpp"
#include "cli/option_table.hpp"
#include "cli/output_path.hpp"
#include "cli/standard_output.hpp"
#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "io/output_file.hpp"

namespace skde::bench {
namespace {

namespace fs = std::filesystem;

struct Settings {
  std::string input, output, baseline;
  bool plots = false, quiet = false;
};

cli::OptionTable make_table(Settings& settings) {
  cli::OptionTable table("skde-bench report", "RESULTS.json -o FOLDER|PAGE.html",
                         "Turns results into one HTML page that needs nothing besides itself: the "
                         "machine, plots of times, throughput, speed-up, roofline and errors, and "
                         "tables of every result.");
  table.group("Output");
  table.value({.name = "output",
               .value = "PAGE",
               .help = "the page, where it ends in .html; otherwise a folder, made where it is not "
                       "there, that takes report.html",
               .letter = 'o'},
              settings.output);
  table.flag({.name = "plots",
              .help = "every plot also as SVG and PNG, in the folder plots beside the page"},
             settings.plots);
  table.flag({.name = "quiet", .help = "does not tell what was written"}, settings.quiet);
  table.group("Contents");
  table.value({.name = "baseline",
               .value = "METHOD",
               .help = "that speed-ups are over",
               .by_default = "the first of openmp, cuda-chop-crop and naive that was measured"},
              settings.baseline);
  table.example("skde-bench report paper/results.json -o paper/", "paper/report.html");
  table.example("skde-bench report run.json -o run.html --plots --baseline cuda-chop-crop",
                "the page, and the folder plots of SVG and PNG files");
  return table;
}

std::string checked_baseline(const RunRecord& run, const Settings& settings) {
  if (settings.baseline.empty()) return usual_baseline(run.results);
  std::vector<std::string_view> methods;
  for (const Result& r : run.results) {
    if (r.method == settings.baseline) return settings.baseline;
    if (std::ranges::find(methods, r.method) == methods.end()) methods.push_back(r.method);
  }
  throw Error(
      ErrorKind::usage,
      fmt::format("no result of {} is of the method '{}'", settings.input, settings.baseline),
      {"baseline", did_you_mean(settings.baseline, methods)});
}

void make_folder(const fs::path& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem)
    throw Error(ErrorKind::output, fmt::format("{}: the folder cannot be made: {}; give another "
                                               "one with --output",
                                               folder.string(), problem.message()));
}

/// The page's path; its folder is there afterwards.
fs::path page_path(const Settings& settings) {
  const fs::path output = settings.output;
  const bool is_page = output.extension() == ".html" || output.extension() == ".htm";
  if (!is_page) make_folder(output);
  fs::path page = is_page ? output : output / "report.html";
  const std::string inputs[] = {settings.input};
  cli::require_writable(page.string(), "--output");
  cli::require_not_read(page.string(), "--output", inputs);
  return page;
}

void write_plots(const std::vector<Plot>& plots, const fs::path& folder) {
  make_folder(folder);
  for (const Plot& plot : plots) {
    if (cli::cancel_requested()) throw Error(ErrorKind::cancelled, "cancelled");
    for (const char* const extension : {".svg", ".png"})
      write_chart(plot.chart, (folder / (plot.name + extension)).string());
  }
}

}  // namespace

void run_report(const cli::Invocation& invocation) {
  Settings settings;
  const cli::OptionTable table = make_table(settings);
  const cli::ParsedFlags flags = table.parse(invocation.arguments);
  if (flags.help_wanted) return cli::print(table.help());
  if (flags.positionals.size() != 1)
    throw Error(ErrorKind::usage,
                "skde-bench report takes one file of results, as skde-bench paper -o FOLDER or "
                "--json FILE writes it");
  if (settings.output.empty())
    throw Error(ErrorKind::usage, "no page is named; give -o FOLDER or -o PAGE.html");
  settings.input = flags.positionals.front();
  const RunRecord run = read_results(settings.input);
  const std::string baseline = checked_baseline(run, settings);
  const fs::path page = page_path(settings);
  std::vector<Plot> plots;
  if (can_draw_charts() || settings.plots) plots = plots_of(run, baseline);
  io::OutputFile file(page.string());
  file.write(report_page(run, baseline, plots));
  const fs::path folder = page.parent_path() / "plots";
  if (settings.plots) write_plots(plots, folder);
  file.commit();
  if (settings.quiet) return;
  cli::print(
      fmt::format("{}: {} results, {} plots\n", page.string(), run.results.size(), plots.size()));
  if (settings.plots) cli::print(fmt::format("{}: {} files\n", folder.string(), 2 * plots.size()));
}

}  // namespace skde::bench
