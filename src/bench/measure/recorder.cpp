#include "bench/measure/recorder.hpp"

#include <fmt/chrono.h>

#include <ctime>
#include <utility>

#include "bench/measure/machine.hpp"
#include "cli/outputs.hpp"
#include "cli/text/terminal_text.hpp"
#include "io/bytes/scratch_file.hpp"
#include "io/text/text_file.hpp"

namespace skde::bench {

void ResultOptions::add_flags(cli::OptionTable& table) {
  table.group("Results");
  table.value({"json", "FILE", "results, machine and command as JSON"}, json);
  table.value({"csv", "FILE", "one row per result"}, csv);
  table.value(
      {"output", "FOLDER", "folder for results.json and results.csv; created if missing", "", 'o'},
      folder);
  table.flag({"quiet", "", "no progress on the terminal"}, quiet);
}

void ResultOptions::require(const cli::ParsedFlags& flags) const {
  flags.require_no_positionals();
  if (!json.empty()) cli::require_writable(json, "--json");
  if (!csv.empty()) cli::require_writable(csv, "--csv");
  if (!folder.empty()) io::make_folder(folder, "-o");
  if (!folder.empty()) cli::require_writable(folder + "/results.json", "-o");
}

Recorder::Recorder(ResultOptions options, const cli::Invocation& invocation, int device,
                   bool stages)
    : options_(std::move(options)), stages_(stages), progress_(!options_.quiet) {
  run_.machine = describe_machine(device);
  run_.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  run_.command_line = invocation.command_line;
}

void Recorder::announce(const std::string& activity) {
  progress_.throw_if_cancelled();
  progress_.begin(activity, 0, "");
  progress_.update(0);
}

void Recorder::note(const std::string& text) {
  progress_.clear();
  cli::print(text + '\n');
  header_printed_ = false;
}

void Recorder::add(Ceiling ceiling) {
  note(fmt::format("{} {}: {:.4g} G{}/s", ceiling.device, ceiling.name, ceiling.per_second / 1e9,
                   ceiling.unit == "B" ? "B" : " " + ceiling.unit));
  run_.ceilings.push_back(std::move(ceiling));
}

void Recorder::add(Overhead overhead) {
  note(fmt::format("empty run of {}: {}", overhead.method, cli::format_duration(overhead.seconds)));
  run_.overheads.push_back(std::move(overhead));
}

void Recorder::add(Result result) {
  progress_.clear();
  std::string text = header_printed_ ? "" : result_header();
  header_printed_ = true;
  text += result_row(result);
  if (stages_) text += stage_rows(result, run_.ceilings);
  cli::print(text);
  run_.results.push_back(std::move(result));
  write_files();
}

void Recorder::write_files() {
  progress_.clear();
  const auto write = [&](const std::string& file, const char* name, const std::string& text) {
    if (!file.empty()) io::write_text(file, text);
    if (!options_.folder.empty()) io::write_text(options_.folder + '/' + name, text);
  };
  write(options_.json, "results.json", results_json(run_));
  write(options_.csv, "results.csv", results_csv(run_));
}

}  // namespace skde::bench
