#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <utility>

#include "bench/bench_program.hpp"
#include "bench/measure/bench_options.hpp"
#include "bench/measure/reference_cells.hpp"
#include "bench/measure/refusal.hpp"
#include "bench/measure/scratch_folder.hpp"
#include "core/error.hpp"
#include "core/stop_watch.hpp"
#include "engines/registry.hpp"
#include "io/output_file.hpp"
#include "io/points/point_reader.hpp"
#include "io/points/point_writer.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kInputs = 2;  // files of other samples, taken in turn
constexpr std::size_t kChunk = std::size_t{1} << 18;

/// Writing and reading one of kInputs files of a format.
struct FileFormat {
  std::string name;       ///< "ply points"
  std::string extension;  ///< ".ply"
  double bytes = 0;       ///< that rates are of: a volume's values, however packed; 0: the file's
  bool has_writer = true;
  std::string unavailable;  ///< why this build cannot use it
  std::function<void(const std::string& path, std::size_t input)> write;
  std::function<void(const std::string& path)> read;
  /// True where the file holds what was written, to the last bit.
  std::function<bool(const std::string& path, std::size_t input)> holds;
};

struct IoCase {
  BenchmarkInput input;         ///< of kInputs clouds
  std::vector<Volume> volumes;  ///< their densities
};

void write_points(const std::string& path, const PointsView& points) {
  io::PointWriter writer(path, points.size());
  for (std::size_t first = 0; first < points.size(); first += kChunk)
    writer.write(points.slice(first, std::min(kChunk, points.size() - first)));
  writer.finish();
}

/// skde reads PCD but writes none.
void write_pcd(const std::string& path, const PointsView& points, bool binary) {
  io::OutputFile file(path);
  file.write(
      fmt::format("VERSION 0.7\nFIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nCOUNT 1 1 1\n"
                  "WIDTH {0}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {0}\nDATA {1}\n",
                  points.size(), binary ? "binary" : "ascii"));
  if (binary) {
    file.write(points.xyz.data(), points.xyz.size_bytes());
  } else {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3 p = points.point(i);
      file.write(fmt::format("{} {} {}\n", p.x, p.y, p.z));
    }
  }
  file.commit();
}

/// Calls `use` with each chunk of the file's points.
template <class Use>
void read_points(const std::string& path, Use use) {
  const auto reader = io::open_points(path, {});
  PointCloud chunk;
  while (reader->read(chunk, kChunk)) use(chunk);
}

bool holds_points(const std::string& path, const PointsView& points) {
  std::size_t at = 0;
  bool equal = true;
  read_points(path, [&](const PointCloud& chunk) {
    const std::size_t end = at + chunk.xyz.size();
    equal = equal && end <= points.xyz.size() &&
            std::ranges::equal(chunk.xyz, points.xyz.subspan(at, chunk.xyz.size()));
    at = end;
  });
  return equal && at == points.xyz.size();
}

FileFormat point_format(std::string name, std::string extension, const IoCase& data) {
  FileFormat format{std::move(name), std::move(extension), 0, true, "", {}, {}, {}};
  const auto points = [&data](std::size_t input) { return data.input.clouds[input].view(); };
  format.write = [points](const std::string& path, std::size_t input) {
    write_points(path, points(input));
  };
  format.read = [](const std::string& path) { read_points(path, [](const PointCloud&) {}); };
  format.holds = [points](const std::string& path, std::size_t input) {
    return holds_points(path, points(input));
  };
  return format;
}

FileFormat pcd_format(bool binary, const IoCase& data) {
  FileFormat format = point_format(binary ? "pcd binary points" : "pcd ascii points", ".pcd", data);
  format.has_writer = false;
  format.write = [&data, binary](const std::string& path, std::size_t input) {
    write_pcd(path, data.input.clouds[input].view(), binary);
  };
  return format;
}

FileFormat volume_format(const io::VolumeFormat& row, const IoCase& data) {
  return {fmt::format("{} volume", row.name),
          std::string(row.extension),
          static_cast<double>(data.input.problem.grid.bytes(Precision::f32)),
          true,
          std::string(row.unavailable),
          [&row, &data](const std::string& path, std::size_t input) {
            row.write(path, data.volumes[input], {});
          },
          [&row](const std::string& path) { row.read(path); },
          [&row, &data](const std::string& path, std::size_t input) {
            return largest_difference(row.read(path).volume, data.volumes[input]) == 0;
          }};
}

std::vector<FileFormat> all_formats(const IoCase& data) {
  std::vector<FileFormat> formats;
  for (const std::string name : {"ply", "npy", "csv", "xyz"})
    formats.push_back(point_format(name + " points", "." + name, data));
  formats.push_back(pcd_format(true, data));
  formats.push_back(pcd_format(false, data));
  for (const io::VolumeFormat& row : io::volume_formats())
    formats.push_back(volume_format(row, data));
  return formats;
}

/// A row for the writer or the reader of a format, without times.
Result blank_row(const FileFormat& format, bool writes, const IoCase& data) {
  Result result = blank_result(data.input.wanted, "io", (writes ? "write " : "read ") + format.name,
                               Precision::f32);
  const bool points = format.name.ends_with("points");
  if (points) result.cells = 0;
  if (!points) result.samples = 0;
  result.precision = points ? "f64" : "f32";
  result.h = 0;
  result.kernel = "";
  result.warmups = 1;
  result.inputs = static_cast<int>(kInputs);
  result.policy = writes ? "into the page cache" : "from the page cache: just written";
  return result;
}

/// Times of `work(input)`, once unmeasured, then each repetition on the next file.
template <class Work>
void fill_times(Result& result, const std::array<double, kInputs>& bytes, int repetitions,
                const Progress& progress, Work work) {
  work(0);
  for (int k = 0; k < repetitions; ++k) {
    progress.throw_if_cancelled();
    const auto input = static_cast<std::size_t>(k + 1) % kInputs;
    const StopWatch watch;
    work(input);
    const double seconds = watch.seconds();
    if (result.seconds.empty() || seconds < *std::ranges::min_element(result.seconds))
      result.stages = {
          {result.method.substr(0, result.method.find(' ')), seconds, bytes[input], {}, ""}};
    result.seconds.push_back(seconds);
  }
}

void add_refused(Recorder& recorder, Result result, Refusal refusal) {
  refuse(result, std::move(refusal));
  recorder.add(std::move(result));
}

void measure_format(Recorder& recorder, const FileFormat& format, const IoCase& data,
                    const ScratchFolder& folder, int repetitions) {
  cli::TerminalProgress& progress = recorder.progress();
  std::array<std::string, kInputs> paths;
  std::array<double, kInputs> bytes{};
  bool intact = true;
  for (std::size_t k = 0; k < kInputs; ++k) {
    paths[k] = folder.file(fmt::format("{}{}", k, format.extension));
    format.write(paths[k], k);
    bytes[k] = format.bytes > 0 ? format.bytes : static_cast<double>(fs::file_size(paths[k]));
    intact = intact && format.holds(paths[k], k);
  }
  for (const bool writes : {true, false}) {
    if (writes && !format.has_writer) continue;
    progress.throw_if_cancelled();
    progress.begin(fmt::format("io: {} {}", writes ? "writing" : "reading", format.name), 0, "");
    progress.update(0);
    Result result = blank_row(format, writes, data);
    if (!intact) {
      add_refused(recorder, std::move(result), {Status::wrong, "the file holds other values"});
      continue;
    }
    fill_times(result, bytes, repetitions, progress, [&](std::size_t input) {
      writes ? format.write(paths[input], input) : format.read(paths[input]);
    });
    recorder.add(std::move(result));
  }
}

void measure_formats(Recorder& recorder, const IoCase& data, const ScratchFolder& folder,
                     int repetitions) {
  for (const FileFormat& format : all_formats(data)) {
    try {
      if (format.unavailable.empty())
        measure_format(recorder, format, data, folder, repetitions);
      else
        add_refused(recorder, blank_row(format, true, data), {Status::skipped, format.unavailable});
    } catch (const Error& error) {
      recorder.progress().throw_if_cancelled();
      add_refused(recorder, blank_row(format, format.has_writer, data),
                  {Status::failed, error.what()});
    }
  }
}

IoCase make_io_case(const BenchmarkCase& wanted, const Progress& progress) {
  IoCase data{make_input(wanted), {}};
  NoProgress silent;
  const auto engine = make_engine("span", {});
  for (const PointCloud& cloud : data.input.clouds) {
    progress.throw_if_cancelled();
    engine->load(cloud.view());
    engine->prepare(data.input.problem);
    const auto buffer = engine->make_buffer();
    engine->run(*buffer, silent);
    data.volumes.push_back(buffer->take_volume());
  }
  return data;
}

}  // namespace

void run_io(const cli::Invocation& invocation) {
  BenchOptions options;
  BenchmarkCase wanted;
  wanted.samples = 1000000;
  wanted.cells = 256;
  wanted.h = 0.346;
  wanted.inputs = static_cast<int>(kInputs);
  int repetitions = 3;
  std::string scratch = fs::temp_directory_path().string();
  cli::OptionTable table("skde-bench io", "[FLAGS]",
                         "Measures the readers and writers of points and volumes on two files "
                         "in turn, in the page cache, and checks that they hold what was "
                         "written. Rates are of a file's bytes, of volumes of their values' "
                         "bytes. PCD is read alone.");
  table.group("Cases");
  table.value({.name = "samples", .value = "N", .help = "points of a file", .by_default = "1e6"},
              wanted.samples, cli::WholeNumber(10, 1'000'000'000));
  table.value({.name = "cells",
               .value = "M",
               .help = "cells along each side of a volume",
               .by_default = "256"},
              wanted.cells, [](const std::string& given) {
                return static_cast<std::int64_t>(cli::WholeNumber(1, 4096)(given));
              });
  table.value({.name = "repetitions", .value = "R", .help = "measured runs", .by_default = "3"},
              repetitions, [](const std::string& given) {
                return static_cast<int>(cli::WholeNumber(1, 1000)(given));
              });
  table.value({.name = "scratch",
               .value = "FOLDER",
               .help = "where the files are put meanwhile",
               .by_default = "the folder of temporary files"},
              scratch);
  add_seed_flag(table, options);
  add_result_flags(table, options);
  table.example("skde-bench io --samples 1e7 -o io/", "ten million points");
  if (!parse_options(table, invocation, options)) return;
  wanted.seed = options.seed;
  Recorder recorder = make_recorder(options, invocation, false);
  recorder.record([&] {
    const ScratchFolder folder(scratch, "--scratch");
    const IoCase data = make_io_case(wanted, recorder.progress());
    measure_formats(recorder, data, folder, repetitions);
  });
}

}  // namespace skde::bench
