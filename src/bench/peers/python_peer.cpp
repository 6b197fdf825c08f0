#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/measure/scratch_folder.hpp"
#include "bench/peers/child_process.hpp"
#include "bench/peers/peer_runs.hpp"
#include "bench/peers/peer_scripts.hpp"
#include "core/error.hpp"
#include "io/npy_header.hpp"
#include "io/output_file.hpp"
#include "io/points/point_writer.hpp"
#include "io/volumes/volume_files.hpp"

namespace skde::bench {
namespace {

using Json = nlohmann::json;

void write_weights(const std::string& path, const PointsView& points) {
  io::OutputFile file(path);
  file.write(io::npy_header(Precision::f64, {static_cast<std::int64_t>(points.size())}));
  file.write(points.weights.data(), points.weights.size_bytes());
  file.commit();
}

Json numbers(Vec3 v) { return {v.x, v.y, v.z}; }

/// Writes the job with its clouds, and returns its path. What stands in it peer_run.py reads.
std::string write_job(const ScratchFolder& folder, const BenchmarkInput& input,
                      const MeasurementSettings& settings) {
  const Grid& grid = input.problem.grid;
  const Symmetric3& H = input.problem.kernel.H;
  Json job{{"cells", input.wanted.cells},
           {"first_centre", numbers(grid.first_centre())},
           {"spacing", numbers(grid.spacing)},
           {"h", input.h},
           {"H", {{H.xx, H.xy, H.xz}, {H.xy, H.yy, H.yz}, {H.xz, H.yz, H.zz}}},
           {"clouds", Json::array()},
           {"weights", Json::array()},
           {"threads", settings.options.threads},
           {"warmups", std::max(1, settings.warmups)},
           {"repetitions", settings.repetitions},
           {"max_seconds", settings.max_seconds},
           {"values", folder.file("values.npy")}};
  for (std::size_t k = 0; k < input.clouds.size(); ++k) {
    const PointsView points = input.clouds[k].view();
    const std::string path = folder.file(fmt::format("cloud{}.npy", k));
    io::PointWriter writer(path, points.size());
    writer.write(points);
    writer.finish();
    job["clouds"].push_back(path);
    if (!input.wanted.weighted) continue;
    job["weights"].push_back(folder.file(fmt::format("weights{}.npy", k)));
    write_weights(job["weights"].back().get<std::string>(), points);
  }
  return folder.write("job.json", job.dump());
}

/// The values that the script wrote, on the case's grid. Error(input) where they are not of its
/// size.
Volume read_values(const std::string& path, const Grid& grid) {
  const Volume found = io::read_npy_volume(path).volume;
  if (found.grid().dims != grid.dims || found.precision() != Precision::f64)
    throw Error(ErrorKind::input,
                fmt::format("wrote {} values of {} bytes, not {} of 8", found.grid().cells(),
                            value_bytes(found.precision()), grid.cells()));
  const std::span<const double> values = found.values<double>();
  return {grid, std::vector<double>(values.begin(), values.end())};
}

/// The scripts, as they are named among themselves; the one of `peer` is run.
std::string write_scripts(const ScratchFolder& folder, const std::string& peer) {
  folder.write("peer_run.py", kPeerRunScript);
  return folder.write(peer + "_density.py", peer == "sklearn" ? kSklearnScript : kScipyScript);
}

/// What one line of the script says; the refusal where it ends the measurement.
std::optional<Refusal> take_line(PeerRuns& runs, const std::string& line,
                                 const BenchmarkInput& input, double max_seconds) {
  const Json told = Json::parse(line, nullptr, false);
  if (!told.is_object()) return Refusal{Status::failed, "says what is no JSON: " + line};
  if (told.contains("made_by")) runs.made_by = told["made_by"].get<std::string>();
  if (told.contains("seconds")) {
    runs.seconds.push_back(told["seconds"].get<double>());
    if (runs.seconds.back() > max_seconds) return took_too_long(max_seconds);
  }
  if (told.contains("values"))
    runs.first = read_values(told["values"].get<std::string>(), input.problem.grid);
  if (told.contains("predicted") && told["predicted"].get<double>() > max_seconds)
    return too_long(told["predicted"].get<double>(), max_seconds);
  return {};
}

}  // namespace

std::optional<Refusal> run_python_peer(PeerRuns& runs, const std::string& peer,
                                       const std::string& interpreter, const BenchmarkInput& input,
                                       const MeasurementSettings& settings,
                                       const Progress& progress) {
  const ScratchFolder folder(std::filesystem::temp_directory_path().string(), "TMPDIR");
  const std::string script = write_scripts(folder, peer), job = write_job(folder, input, settings);
  // The processes of the script use the cores; libraries below them must not do so as well.
  ChildProcess process({interpreter, "-B", script, job},
                       {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1"});
  std::string line;
  while (true) {
    switch (process.read_line(line, settings.max_seconds + settings.start_seconds, progress)) {
      case ChildProcess::Reading::late:
        return took_too_long(settings.max_seconds);
      case ChildProcess::Reading::line:
        if (auto refusal = take_line(runs, line, input, settings.max_seconds)) return refusal;
        continue;
      case ChildProcess::Reading::end:
        break;
    }
    break;
  }
  if (const int code = process.finish(settings.start_seconds, progress); code != 0)
    return Refusal{Status::failed,
                   fmt::format("{} ended with {}: {}", interpreter, code, process.complaint())};
  if (!runs.first || runs.seconds.size() != static_cast<std::size_t>(settings.repetitions))
    return Refusal{Status::failed, fmt::format("{} gave {} of {} times", interpreter,
                                               runs.seconds.size(), settings.repetitions)};
  return {};
}

}  // namespace skde::bench
