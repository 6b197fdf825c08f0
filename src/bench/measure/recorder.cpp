#include "bench/measure/recorder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "bench/results/result_rows.hpp"
#include "cli/number_format.hpp"
#include "cli/output_path.hpp"
#include "cli/standard_output.hpp"
#include "core/error.hpp"
#include "io/output_file.hpp"

namespace skde::bench {
namespace {

void write_file(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  io::OutputFile file(path);
  file.write(text);
  file.commit();
}

std::string in_folder(const std::string& folder, const char* name) {
  return folder.empty() ? "" : (std::filesystem::path(folder) / name).string();
}

}  // namespace

void check_outputs(const OutputFiles& files) {
  if (!files.json.empty()) cli::require_writable(files.json, "--json");
  if (!files.csv.empty()) cli::require_writable(files.csv, "--csv");
  if (files.folder.empty()) return;
  std::error_code problem;
  std::filesystem::create_directories(files.folder, problem);
  if (problem)
    throw Error(ErrorKind::output, fmt::format("{}: cannot be made a folder: {} (named by -o)",
                                               files.folder, problem.message()));
  cli::require_writable(in_folder(files.folder, "results.json"), "-o");
}

Recorder::Recorder(RunRecord run, OutputFiles files, bool stages, bool quiet)
    : run_(std::move(run)), files_(std::move(files)), stages_(stages), progress_(!quiet) {}

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

void Recorder::finish(bool cancelled) {
  progress_.clear();
  run_.cancelled = cancelled;
  write_files();
}

void Recorder::write_files() const {
  const std::string folder_json = in_folder(files_.folder, "results.json"),
                    folder_csv = in_folder(files_.folder, "results.csv");
  if (!files_.json.empty() || !folder_json.empty()) {
    const std::string json = results_json(run_);
    write_file(files_.json, json);
    write_file(folder_json, json);
  }
  if (!files_.csv.empty() || !folder_csv.empty()) {
    const std::string csv = results_csv(run_);
    write_file(files_.csv, csv);
    write_file(folder_csv, csv);
  }
}

}  // namespace skde::bench
