#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "bench/bench_commands.hpp"
#include "bench/measure/benchmark_case.hpp"
#include "bench/measure/recorder.hpp"
#include "bench/measure/reference_cells.hpp"
#include "core/report/error.hpp"
#include "estimate/session.hpp"
#include "io/bytes/scratch_file.hpp"
#include "io/points/formats/open_points.hpp"
#include "io/points/point_writer.hpp"
#include "io/text/text_file.hpp"
#include "io/volumes/volume_formats.hpp"
#include "system/stop_watch.hpp"

namespace skde::bench {
namespace {

constexpr std::size_t kInputs = 2;  // files with different samples, taken in turn
constexpr std::size_t kChunk = std::size_t{1} << 18;

void write_points(const std::string& path, const SamplesView& points) {
  io::PointWriter writer(path, points.size());
  for (std::size_t first = 0; first < points.size(); first += kChunk)
    writer.write(points.slice(first, std::min(kChunk, points.size() - first)));
  writer.finish();
}

/// skde reads PCD but writes none.
void write_pcd(const std::string& path, const SamplesView& points, bool binary) {
  std::string text = fmt::format(
      "VERSION 0.7\nFIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nCOUNT 1 1 1\n"
      "WIDTH {0}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {0}\nDATA {1}\n",
      points.size(), binary ? "binary" : "ascii");
  if (binary)
    text.append(reinterpret_cast<const char*>(points.xyz.data()), points.xyz.size_bytes());
  for (std::size_t i = 0; !binary && i < points.size(); ++i)
    text += fmt::format("{}\n", fmt::join(points.xyz.subspan(3 * i, 3), " "));
  io::write_text(path, text);
}

/// Calls `use` with each chunk of the file's points.
template <class Use>
void read_points(const std::string& path, Use use) {
  const auto reader = io::open_points(path, {});
  Samples chunk;
  while (reader->read(chunk, kChunk)) use(chunk);
}

bool holds_points(const std::string& path, const SamplesView& points) {
  std::vector<double> found;
  read_points(path, [&](const Samples& chunk) {
    found.insert(found.end(), chunk.xyz.begin(), chunk.xyz.end());
  });
  return std::ranges::equal(found, points.xyz);
}

struct Format {
  std::string name, extension;  ///< "ply points", ".ply"
  bool has_points, has_writer = true;
  std::string_view unavailable{};  ///< why this build cannot use the format
};

/// Readers and writers, on the clouds of a case and their densities.
struct IoRun {
  Recorder& recorder;
  const BenchmarkInput& input;
  const io::ScratchFolder& folder;
  int repetitions;
  std::vector<Volume> volumes{};

  void measure_all() {
    Session session;
    for (const Samples& cloud : input.clouds) {
      recorder.progress().throw_if_cancelled();
      session.open(cloud.view());
      volumes.push_back(session.compute(input.request()).take_volume());
    }
    for (const std::string name : {"ply", "npy", "csv", "xyz", "pcd binary", "pcd ascii"}) {
      const bool pcd = name.starts_with("pcd");
      measure(
          {name + " points", pcd ? ".pcd" : "." + name, true, !pcd},
          [&](const std::string& path, std::size_t k) {
            const SamplesView points = input.clouds[k].view();
            pcd ? write_pcd(path, points, name == "pcd binary") : write_points(path, points);
          },
          [](const std::string& path) { read_points(path, [](const Samples&) {}); },
          [&](const std::string& path, std::size_t k) {
            return holds_points(path, input.clouds[k].view());
          });
    }
    for (const io::VolumeFormat& row : io::volume_formats())
      measure(
          {fmt::format("{} volume", row.name), std::string(row.extension), false, true,
           row.unavailable},
          [&](const std::string& path, std::size_t k) { row.write(path, volumes[k], {}); },
          [&](const std::string& path) { row.read(path, {}); },
          [&](const std::string& path, std::size_t k) {
            return largest_difference(row.read(path, {}).volume, volumes[k]) == 0;
          });
  }

  /// Writes a file of each input. Times write(path, input) and read(path) if holds(path, input) is
  /// true: the files hold exactly what was written.
  template <class Write, class Read, class Holds>
  void measure(const Format& format, Write write, Read read, Holds holds) {
    Result result = blank_row(format, format.has_writer);
    refuse(result, {Status::skipped, std::string(format.unavailable)});
    if (!format.unavailable.empty()) return recorder.add(std::move(result));
    try {
      std::array<std::string, kInputs> paths;
      bool intact = true;
      for (std::size_t k = 0; k < kInputs; ++k) {
        paths[k] = folder.file(fmt::format("{}{}", k, format.extension));
        write(paths[k], k);
        intact = intact && holds(paths[k], k);
      }
      if (format.has_writer)
        time(format, true, intact, paths, [&](std::size_t k) { write(paths[k], k); });
      time(format, false, intact, paths, [&](std::size_t k) { read(paths[k]); });
    } catch (const Error& error) {
      recorder.progress().throw_if_cancelled();
      refuse(result, {Status::failed, error.what()});
      recorder.add(std::move(result));
    }
  }

  /// Returns a row for the writer or the reader of a format, without times.
  Result blank_row(const Format& format, bool writes) const {
    Result result = blank_result(input.wanted, "io", (writes ? "write " : "read ") + format.name,
                                 format.has_points ? Precision::f64 : Precision::f32);
    if (format.has_points) result.cells = 0;
    if (!format.has_points) result.samples = 0;
    result.h = 0;
    result.kernel = "";
    result.warmups = 1;
    result.inputs = static_cast<int>(kInputs);
    result.policy = writes ? "into the page cache" : "from the page cache: just written";
    return result;
  }

  /// Records the times of work(input): first one unmeasured run, then each repetition on the next
  /// file.
  template <class Work>
  void time(const Format& format, bool writes, bool intact,
            const std::array<std::string, kInputs>& paths, Work work) {
    Result result = blank_row(format, writes);
    recorder.announce("io: " + result.method);
    if (intact) work(0);
    for (int k = 0; intact && k < repetitions; ++k) {
      recorder.progress().throw_if_cancelled();
      const auto which = static_cast<std::size_t>(k + 1) % kInputs;
      const StopWatch watch;
      work(which);
      result.seconds.push_back(watch.seconds());
      if (result.seconds.back() > std::ranges::min(result.seconds)) continue;
      // Volumes are rated by the bytes of their values, however packed; points by the bytes of
      // their file.
      const double bytes = format.has_points
                               ? static_cast<double>(std::filesystem::file_size(paths[which]))
                               : static_cast<double>(input.grid.bytes(Precision::f32));
      result.stages = {{writes ? "write" : "read", result.seconds.back(), bytes, {}, ""}};
    }
    if (!intact) refuse(result, {Status::wrong, "the file holds other values"});
    recorder.add(std::move(result));
  }
};

struct IoSettings {
  ResultOptions output{};
  BenchmarkCase wanted{.samples = 1000000, .cells = 256, .h = 0.346, .inputs = kInputs};
  int repetitions = 3;
  std::string scratch = std::filesystem::temp_directory_path().string();
};

cli::OptionTable io_table(IoSettings& s) {
  cli::OptionTable table("skde-bench io", "[FLAGS]",
                         "Measures the readers and writers of points and volumes on two files in "
                         "turn, in the page cache, and verifies the files. Rates count the bytes "
                         "of point files and the value bytes of volumes. PCD is only read.");
  table.group("Cases");
  table.value({"samples", "N", "number of points in a file", "1e6"}, s.wanted.samples,
              WholeNumber(10, 1'000'000'000));
  table.value({"cells", "M", "cells along each side of a volume", "256"}, s.wanted.cells,
              WholeNumber<std::int64_t>(1, 4096));
  table.value({"repetitions", "R", "number of measured runs", "3"}, s.repetitions,
              WholeNumber<int>(1, 1000));
  table.value({"scratch", "FOLDER", "folder for the files during the run",
               "the folder for temporary files"},
              s.scratch);
  table.value({"seed", "S", "seed of the samples", "1"}, s.wanted.seed, WholeNumber(0));
  s.output.add_flags(table);
  table.example("skde-bench io --samples 1e7 -o io/", "ten million points");
  return table;
}

void run_io(IoSettings& s, const cli::ParsedFlags& flags, const cli::Invocation& invocation) {
  s.output.require(flags);
  Recorder recorder(s.output, invocation, 0, false);
  recorder.record([&] {
    const io::ScratchFolder folder(s.scratch, "--scratch");
    const BenchmarkInput input = make_input(s.wanted);
    IoRun{recorder, input, folder, s.repetitions}.measure_all();
  });
}

}  // namespace

const cli::Command kIoCommand =
    cli::command<io_table, run_io>("io", "measures readers and writers in MB/s");

}  // namespace skde::bench
