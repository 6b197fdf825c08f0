#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bench/measure/scratch_folder.hpp"
#include "bench/peers/child_process.hpp"
#include "bench/peers/mpdf_files.hpp"
#include "bench/peers/peer_runs.hpp"
#include "io/points/point_writer.hpp"

namespace skde::bench {
namespace {

/// The authors' program on the clouds of a case.
class MpdfRuns {
 public:
  MpdfRuns(std::string program, const BenchmarkInput& input, const MeasurementSettings& settings,
           const Progress& progress)
      : program_(std::move(program)),
        input_(input),
        settings_(settings),
        progress_(progress),
        folder_(std::filesystem::temp_directory_path().string(), "TMPDIR") {}

  /// Writes samples as the ASCII rows that the program reads; the path of the file.
  std::string write_rows(const std::string& name, const PointsView& points) {
    std::string path = folder_.file(name);
    io::PointWriter writer(path, points.size());
    writer.write(points);
    writer.finish();
    return path;
  }

  /// Runs it on a file of rows; the seconds that it reports.
  std::optional<Refusal> run(const std::string& rows, double& seconds) {
    std::vector<std::string> environment;
    if (const int threads = settings_.options.threads; threads > 0)
      environment.push_back(fmt::format("OMP_NUM_THREADS={}", threads));
    ChildProcess process({program_, "-h", fmt::format("{}", input_.h), "-x",
                          mpdf_grid(input_.problem.grid), "-o", result_path(), rows},
                         environment);
    const double limit = settings_.max_seconds + settings_.start_seconds;
    std::optional<double> reported;
    std::string line;
    while (true) {
      const ChildProcess::Reading reading = process.read_line(line, limit, progress_);
      if (reading == ChildProcess::Reading::late) return took_too_long(settings_.max_seconds);
      if (reading == ChildProcess::Reading::end) break;
      if (const std::optional<double> found = mpdf_seconds(line)) reported = found;
    }
    if (const int code = process.finish(limit, progress_); code != 0)
      return Refusal{Status::failed,
                     fmt::format("{} ended with {}: {}", program_, code, process.complaint())};
    if (!reported)
      return Refusal{Status::failed, program_ + " reports no line 'Compute time: S sec'"};
    seconds = *reported;
    if (seconds > settings_.max_seconds) return took_too_long(settings_.max_seconds);
    return {};
  }

  std::string result_path() const { return folder_.file("density.nc"); }

  /// The seconds of a run over all samples, from runs over few of them; 0 where there are too few
  /// samples to make a prediction of use.
  std::optional<Refusal> predict(double& predicted) {
    constexpr std::size_t kLeast = 100, kShare = 16, kWorthwhile = 50000;
    const PointsView points = input_.clouds.front().view();
    if (points.size() < kWorthwhile) return {};
    double least = 0, more = 0;
    if (auto refusal = run(write_rows("few.xyz", points.slice(0, kLeast)), least)) return refusal;
    const std::size_t part = points.size() / kShare;
    if (auto refusal = run(write_rows("part.xyz", points.slice(0, part)), more)) return refusal;
    predicted = least + std::max(more - least, 0.0) * static_cast<double>(kShare);
    return {};
  }

 private:
  std::string program_;
  const BenchmarkInput& input_;
  const MeasurementSettings& settings_;
  const Progress& progress_;
  ScratchFolder folder_;
};

}  // namespace

std::optional<Refusal> run_mpdfestimator(PeerRuns& runs, const std::string& program,
                                         const BenchmarkInput& input,
                                         const MeasurementSettings& settings,
                                         const Progress& progress) {
  if (!can_read_mpdf_volume())
    return Refusal{Status::skipped, "skde was built without NetCDF, which it writes"};
  runs.made_by = "the S-KDE authors' program, its own report of its time";
  if (const int threads = settings.options.threads; threads > 0)
    runs.made_by += fmt::format(", {} threads", threads);
  MpdfRuns program_runs(program, input, settings, progress);
  double predicted = 0;
  if (auto refusal = program_runs.predict(predicted)) return refusal;
  if (predicted > settings.max_seconds) return too_long(predicted, settings.max_seconds);
  std::vector<std::string> rows;
  for (std::size_t k = 0; k < input.clouds.size(); ++k)
    rows.push_back(program_runs.write_rows(fmt::format("{}.xyz", k), input.clouds[k].view()));
  const int warmups = std::max(1, settings.warmups);
  for (int k = 0; k < warmups + settings.repetitions; ++k) {
    double seconds = 0;
    const std::string& cloud = rows[static_cast<std::size_t>(k) % rows.size()];
    if (auto refusal = program_runs.run(cloud, seconds)) return refusal;
    if (k == 0) runs.first = read_mpdf_volume(program_runs.result_path(), input.problem.grid);
    if (k >= warmups) runs.seconds.push_back(seconds);
  }
  return {};
}

}  // namespace skde::bench
