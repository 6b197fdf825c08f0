#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "bench/bench_commands.hpp"
#include "bench/peers/peers.hpp"
#include "bench/results/results.hpp"
#include "cli/options/option_table.hpp"
#include "cli/outputs.hpp"
#include "cli/terminal_progress.hpp"
#include "io/text/json_object.hpp"
#include "io/text/text_file.hpp"

namespace skde::bench {
namespace {

namespace fs = std::filesystem;

struct Settings {
  std::string input, output, baseline, python;
  bool plots = false, quiet = false;
};

cli::OptionTable make_table(Settings& settings) {
  cli::OptionTable table("skde-bench report", "RESULTS.json -o FOLDER|PAGE.html",
                         "Turns results into one self-contained HTML page: the machine, plots of "
                         "times, throughput, speed-up, roofline and errors, and tables of every "
                         "result. Python draws it with matplotlib and jinja2.");
  table.group("Output");
  table.value(
      {"output", "PAGE",
       "the page, if it ends in .html; otherwise a folder for report.html, created if missing", "",
       'o'},
      settings.output);
  table.flag(
      {"plots", "",
       "saves every plot as SVG and PNG, light and dark, in the folder plots beside the page"},
      settings.plots);
  table.flag({"quiet", "", "does not print what was written"}, settings.quiet);
  table.group("Contents");
  table.value({"baseline", "METHOD", "method that speed-ups refer to",
               "the first measured one of openmp, cuda-chop-crop and naive"},
              settings.baseline);
  table.value({"python", "PATH", "interpreter that has matplotlib and jinja2",
               "python3 or /usr/bin/python3, the first one that has them"},
              settings.python);
  table.example("skde-bench report paper/results.json -o paper/", "paper/report.html");
  table.example("skde-bench report run.json -o run.html --plots --baseline cuda-chop-crop",
                "the page, and the folder plots of SVG and PNG files");
  return table;
}

void check_baseline(const RunRecord& run, const Settings& settings) {
  std::vector<std::string_view> methods;
  for (const Result& r : run.results) methods.push_back(r.method);
  if (settings.baseline.empty() || std::ranges::count(methods, settings.baseline) > 0) return;
  throw Error(
      ErrorKind::usage,
      fmt::format("no result of {} is of the method '{}'", settings.input, settings.baseline),
      {"baseline", did_you_mean(settings.baseline, methods)});
}

/// Makes report.html and the plots in the folder. Returns the number of plots.
std::size_t make_report(const Settings& settings, const io::ScratchFolder& folder) {
  constexpr double kPatience = 3600;  // in seconds
  const cli::TerminalProgress progress(false);
  const Python python = find_python(settings.python, "matplotlib, jinja2", progress);
  if (python.path.empty())
    throw Error(
        ErrorKind::resources,
        fmt::format("no Python interpreter here has matplotlib and jinja2: {}", python.problem),
        {"python", "install python3-matplotlib and python3-jinja2 (Debian packages)"});
  std::size_t plots = 0;
  const io::ProgramEnd end = run_script(
      python.path, folder, "report_page.py",
      {settings.input, folder.file(""), settings.baseline, settings.plots ? "yes" : "no"},
      kPatience, progress, [&](const std::string& line) {
        plots = io::parse_json(line, "report_page.py").value("plots", plots);
        return true;
      });
  if (end.code == 0 && !end.late) return plots;
  throw Error(
      ErrorKind::resources,
      fmt::format(
          "the report cannot be made: {} ended with {}: {}; check the interpreter with --python",
          python.path, end.code, end.complaint));
}

void run_report(Settings& settings, const cli::ParsedFlags& flags, const cli::Invocation&) {
  if (flags.positionals.size() != 1)
    throw Error(ErrorKind::usage,
                "skde-bench report needs one file of results, which skde-bench paper -o FOLDER or "
                "--json FILE writes");
  if (settings.output.empty())
    throw Error(ErrorKind::usage, "no page is given; add -o FOLDER or -o PAGE.html");
  settings.input = flags.positionals.front();
  const RunRecord run = read_results(settings.input);
  check_baseline(run, settings);
  fs::path page = settings.output;
  if (page.extension() != ".html" && page.extension() != ".htm") {
    io::make_folder(page, "-o");
    page /= "report.html";
  }
  cli::require_writable(page.string(), "--output");
  cli::require_not_read(page.string(), "--output", std::array{settings.input});
  const io::ScratchFolder made;
  const std::size_t plots = make_report(settings, made);
  const fs::path folder = page.parent_path() / "plots";
  if (settings.plots) io::make_folder(folder, "-o");
  for (const fs::directory_entry& file : fs::directory_iterator(made.file("plots")))
    io::write_text(folder / file.path().filename(), io::read_text(file.path()));
  io::write_text(page, io::read_text(made.file("report.html")));
  if (settings.quiet) return;
  cli::print(fmt::format("{}: {} results, {} plots\n", page.string(), run.results.size(), plots));
  if (settings.plots) cli::print(fmt::format("{}: {} files\n", folder.string(), 4 * plots));
}

}  // namespace

const cli::Command kReportCommand = cli::command<make_table, run_report>(
    "report", "makes one HTML page of results, with plots and tables");

}  // namespace skde::bench
