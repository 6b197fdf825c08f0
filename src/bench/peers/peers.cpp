#include "bench/peers/peers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "bench/peers/embedded_scripts.hpp"
#include "core/report/error.hpp"
#include "io/text/json_object.hpp"
#include "io/values/npy_header.hpp"
#include "io/volumes/image_file.hpp"
#include "io/volumes/volume_files.hpp"

namespace skde::bench {
namespace {

using Json = io::JsonObject::Json;

const PeerEntry& entry_of(std::string_view name) {
  return *std::ranges::find(kPeers, name, &PeerEntry::name);
}

/// Returns why the peer cannot compute the case's density; empty if it can.
std::string unsuited(const PeerEntry& peer, const BenchmarkCase& wanted) {
  if (peer.values != PeerValues::others && wanted.kernel != KernelFunction::epanechnikov)
    return "measured with the Epanechnikov kernel only";
  if (wanted.widths != CaseWidths::none) return "does not support per-sample bandwidths";
  if (peer.is_program && wanted.weighted) return "does not support weights";
  if (peer.is_program && wanted.shape != CloudShape::five_gaussians)
    return "uses the covariance of its samples, not that of the case";
  return "";
}

/// Writes the job and its clouds for peer_run.py, and returns the path of the job.
std::string write_job(const io::ScratchFolder& folder, const Peer& peer,
                      const BenchmarkInput& input, const MeasurementSettings& settings) {
  const Vec3 first = input.grid.first_centre(), step = input.grid.spacing;
  const Symmetric3& H = input.kernel.H;
  const Json job{{"cells", input.wanted.cells},
                 {"first_centre", {first.x, first.y, first.z}},
                 {"spacing", {step.x, step.y, step.z}},
                 {"h", input.h},
                 {"H", {{H.xx, H.xy, H.xz}, {H.xy, H.yy, H.yz}, {H.xz, H.yz, H.zz}}},
                 {"inputs", input.clouds.size()},
                 {"weighted", input.wanted.weighted},
                 {"threads", settings.options.threads},
                 {"warmups", std::max(1, settings.warmups)},
                 {"repetitions", settings.repetitions},
                 {"max_seconds", settings.max_seconds},
                 {"program", peer.program},
                 {"folder", folder.file("")}};
  const auto samples = static_cast<std::int64_t>(input.wanted.samples);
  for (std::size_t k = 0; k < input.clouds.size(); ++k) {
    const SamplesView points = input.clouds[k].view();
    io::write_npy(folder.file(fmt::format("cloud{}.npy", k)), points.xyz, {samples, 3});
    if (input.wanted.weighted)
      io::write_npy(folder.file(fmt::format("weights{}.npy", k)), points.weights, {samples});
  }
  return folder.write("job.json", io::json_line(job));
}

/// Returns the values that the script wrote, on the case's grid. Throws Error(input) if their
/// number or type is wrong.
Volume read_values(const std::string& path, const Grid& grid) {
  const Volume found = io::read_image<io::read_npy_volume_header>(path, {}).volume;
  if (found.grid().dims != grid.dims || found.precision() != Precision::f64)
    throw Error(ErrorKind::input,
                fmt::format("must write {2} values of 8 bytes; wrote {0} of {1}",
                            found.grid().cells(), value_bytes(found.precision()), grid.cells()));
  const std::span<const double> values = found.values<double>();
  return {grid, std::vector<double>(values.begin(), values.end())};
}

/// Takes one line that the peer prints. Returns a refusal if the peer takes too long.
std::optional<Refusal> take(const std::string& line, Result& result, std::optional<Volume>& first,
                            const Grid& grid, double max_seconds) {
  const Json json = io::parse_json(line, "its output");
  io::JsonObject told(json, "its output");
  std::string failed, values;
  double predicted = 0, untimed = 0, seconds = 0;
  told.read("failed", failed);
  told.read("made_by", result.policy);
  told.read("values", values);
  told.read("predicted", predicted, 0);
  told.read("untimed", untimed, 0);
  told.read("seconds", seconds, 0);
  told.finish();
  if (!failed.empty()) throw Error(ErrorKind::input, failed);
  if (!values.empty()) first = read_values(values, grid);
  if (told.has("seconds")) result.seconds.push_back(seconds);
  if (predicted > max_seconds) return too_long(predicted, max_seconds);
  if (std::max(untimed, seconds) > max_seconds) return took_too_long(max_seconds);
  return {};
}

/// Runs the peer's script, and fills in its times and its density of the first cloud. Returns a
/// refusal if it takes too long. Throws Error if it does not give them.
std::optional<Refusal> run_peer(Result& result, std::optional<Volume>& first, const Peer& peer,
                                const BenchmarkInput& input, const MeasurementSettings& settings,
                                const Progress& progress) {
  const io::ScratchFolder folder;
  std::optional<Refusal> refusal;
  const io::ProgramEnd end = run_script(
      peer.python, folder, entry_of(peer.name).script, {write_job(folder, peer, input, settings)},
      settings.max_seconds + settings.start_seconds, progress, [&](const std::string& line) {
        refusal = take(line, result, first, input.grid, settings.max_seconds);
        return !refusal;
      });
  if (end.late) return took_too_long(settings.max_seconds);
  const std::size_t count = result.seconds.size();
  if (!refusal && end.code != 0)
    throw Error(ErrorKind::input, fmt::format("{} ended with {}: {}; check the program",
                                              peer.python, end.code, end.complaint));
  if (!refusal && (!first || count != static_cast<std::size_t>(settings.repetitions)))
    throw Error(ErrorKind::input,
                fmt::format("{} gave {} of {} times; check the program: {}", peer.python, count,
                            settings.repetitions, end.complaint));
  return refusal;
}

/// Compares the peer's values with the density.
void judge(Result& result, Volume volume, CaseCheck& check, const Progress& progress) {
  const PeerValues values = entry_of(result.method).values;
  if (values == PeerValues::others) return;
  if (values == PeerValues::exact) {
    const CaseCheck::Verdict verdict = check.judge(result.method, std::move(volume), progress);
    if (std::isfinite(verdict.error)) result.error = verdict.error;
    if (!verdict.complaint.empty()) refuse(result, {Status::wrong, verdict.complaint});
    return;
  }
  const double error = check.error_of(volume, progress);
  if (!std::isfinite(error)) return refuse(result, {Status::wrong, "values not finite"});
  result.error = error;
  if (error <= kLargestError) return;
  result.status = Status::inexact;
  result.reason = fmt::format("off the density by {:.2g} of the peak", error);
}

}  // namespace

Python find_python(const std::string& named, std::string_view modules, const Progress& progress) {
  constexpr double kPatience = 60;  // in seconds
  const auto candidates =
      named.empty() ? std::vector<std::string>{"python3", "/usr/bin/python3"} : std::vector{named};
  std::string problems;
  for (const std::string& python : candidates) {
    const io::ProgramEnd end =
        io::run_program({python, "-c", fmt::format("import {}", modules)}, kPatience, progress,
                        [](const std::string&) { return true; });
    if (end.code == 0 && !end.late) return {python, ""};
    problems += fmt::format("{}{}: {}", problems.empty() ? "" : "; ", python,
                            end.late ? "does not answer" : end.complaint);
  }
  return {"", problems + " (--python names another interpreter)"};
}

io::ProgramEnd run_script(const std::string& python, const io::ScratchFolder& folder,
                          std::string_view script, const std::vector<std::string>& arguments,
                          double patience, const Progress& progress,
                          const io::TakeLine& take_line) {
  for (const auto& [name, text] : kEmbeddedScripts) folder.write(name, text);
  std::vector<std::string> command{python, "-B", folder.file(script)};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return io::run_program(command, patience, progress, take_line);
}

std::vector<Peer> find_peers(const std::vector<std::string>& names, const std::string& python,
                             const std::string& program, const Progress& progress) {
  std::vector<Peer> peers;
  for (const std::string& name : names) {
    const PeerEntry& entry = entry_of(name);
    Python found = find_python(python, entry.modules, progress);
    peers.push_back({name, found.path, entry.is_program ? program : "", found.problem});
  }
  return peers;
}

Result blank_peer_result(const Peer& peer, const BenchmarkCase& wanted,
                         std::string_view experiment) {
  Result result = blank_result(wanted, experiment, peer.name, Precision::f64);
  if (entry_of(peer.name).values == PeerValues::others) result.kernel = kGaussianKernel;
  return result;
}

Result measure_peer(const Peer& peer, const BenchmarkInput& input, std::string_view experiment,
                    const MeasurementSettings& settings, CaseCheck& check, Progress& progress) {
  Result result = blank_peer_result(peer, input.wanted, experiment);
  if (result.kernel != kGaussianKernel)  // the Gaussian is unbounded: no updates to count
    result = blank_result(input, experiment, peer.name, Precision::f64);
  result.warmups = std::max(1, settings.warmups);
  std::string reason = peer.unavailable;
  if (reason.empty()) reason = unsuited(entry_of(peer.name), input.wanted);
  if (!reason.empty()) {
    refuse(result, {Status::skipped, std::move(reason)});
    return result;
  }
  try {
    std::optional<Volume> first;
    if (auto refusal = run_peer(result, first, peer, input, settings, progress))
      refuse(result, std::move(*refusal));
    else
      judge(result, std::move(*first), check, progress);
  } catch (const Error& error) {
    progress.throw_if_cancelled();
    refuse(result, {Status::failed, error.what()});
  }
  return result;
}

}  // namespace skde::bench
