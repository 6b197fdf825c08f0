#include <fmt/core.h>

#include <vector>

#include "analysis/density_sampler.hpp"
#include "cli/command_session.hpp"
#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/outputs.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_output.hpp"
#include "core/report/stage_times.hpp"
#include "estimate/read/input_error.hpp"
#include "estimate/session.hpp"
#include "io/points/point_writer.hpp"

namespace skde::cli {
namespace {

struct SampleSettings {
  DensityOptions density;
  std::uint64_t samples = 100000, seed = 1;
  std::string output;
  bool json = false, quiet = false;
};

OptionTable sample_table(SampleSettings& settings) {
  OptionTable table(
      "skde sample", "IN... --samples N -o FILE [FLAGS]",
      "Draws samples from the kernel density estimate of one or more point clouds (treated as one "
      "cloud; - is standard input). Each draw is one of the samples, chosen by weight, plus a draw "
      "from its kernel. A seed gives the same numbers on any number of threads.");
  table.group("Output");
  table.value({.name = "output",
               .value = "FILE",
               .help = "file of points to write: " + io::point_writer_extensions(),
               .letter = 'o',
               .names_file = true},
              settings.output);
  table.value({.name = "samples",
               .value = "N",
               .help = "number of samples to draw, such as 1e6",
               .by_default = "100000",
               .letter = 'n'},
              settings.samples, WholeNumber(1));
  table.value({.name = "seed", .value = "S", .help = "seed of the random draws", .by_default = "1"},
              settings.seed, WholeNumber(0));
  add_summary_flags(table, settings.json, settings.quiet);
  add_density_fields(table, settings.density, target::kDraws);
  table.most_used({"output", "samples", "seed", "json", "columns", "weights", "kernel", "bandwidth",
                   "bounds", "boundary"});
  table.example("skde sample points.ply -n 1e6 --seed 7 -o more.ply",
                "a million draws with an automatic bandwidth");
  table.example("skde sample quakes.csv --columns long,lat,depth --kernel gaussian -o draws.csv",
                "from Gaussian kernels");
  return table;
}

void check_sample(const ParsedFlags& flags, const SampleSettings& settings) {
  if (flags.positionals.empty())
    throw Error(ErrorKind::usage,
                "no input is given: name files of points, or - for standard input");
  require_inputs(flags.positionals);
  if (settings.output.empty())
    throw Error(ErrorKind::usage, "no output is given; name a file with -o FILE");
  if (flags.has("bounds") && !has_boundary(settings.density.request.boundaries))
    throw Error(ErrorKind::usage,
                "--bounds has no effect without --boundary, because draws are not confined to the "
                "box; drop it");
  std::vector<std::string> read = flags.positionals;
  if (!settings.density.covariance_file.empty()) read.push_back(settings.density.covariance_file);
  require_not_read(settings.output, "-o", read);
  require_writable(settings.output, "-o");
}

void write_samples(const DensitySampler& sampler, const SampleSettings& settings,
                   Progress& progress) {
  io::PointWriter writer(settings.output, settings.samples);
  sampler.draw_each(
      settings.samples, [&](const Samples& drawn) { writer.write(drawn.view()); }, progress);
  writer.finish();
}

/// The result of a draw, for output.
struct Draws {
  const SampleSettings& settings;
  const SampleCloud& cloud;
  const DensitySampler& sampler;
  std::vector<WrittenFile> written;

  const Boundaries& boundaries() const { return settings.density.request.boundaries; }
  bool is_sharpened() const { return settings.density.request.sharpen; }
  const Bandwidth& bandwidth() const { return sampler.setup().bandwidth; }
  KernelFunction kernel() const { return sampler.setup().kernel.function; }
};

std::string bandwidth_text(const Draws& draws) {
  const Bandwidth& bandwidth = draws.bandwidth();
  return bandwidth.h > 0 ? fmt::format("h = {} ({})", format_value(bandwidth.h), bandwidth.source)
                         : bandwidth.source;
}

std::string drawn_text(const Draws& draws) {
  return fmt::format("{}, seed {}", format_count(draws.settings.samples), draws.settings.seed);
}

void add_fields(Fields<Draws>& add) {
  add.name("draws", "skde sample CLOUD --json");
  add("inputs", [](auto& draws) { return draws.settings.density.files.paths; });
  add("samples", [](auto& draws) { return draws.cloud.counts; });
  add.line("samples", [](auto& draws) { return counts_text(draws.cloud.counts); });
  add("columns", [](auto& draws) { return draws.cloud.columns; });
  add.line("columns", [](auto& draws) { return columns_text(draws.cloud.columns, ""); });
  add("left_out", "samples beyond a face of the box with a boundary",
      [](auto& draws) { return draws.sampler.left_out(); });
  add("kernel", &Draws::kernel);
  add.line("kernel", [](auto& draws) { return kernel_text(draws.kernel(), draws.cloud.columns); });
  add("bandwidth", &Draws::bandwidth);
  add.line("bandwidth", bandwidth_text);
  add("sharpened", kSharpenedMeaning, [](auto& draws) { return draws.is_sharpened(); });
  add.line("sharpened", [](auto& draws) { return sharpened_text(draws.is_sharpened()); });
  add("boundary", kBoundaryMeaning, &Draws::boundaries);
  add.line("boundary", [](auto& draws) { return boundary_text(draws.boundaries()); });
  add("seed", [](auto& draws) { return draws.settings.seed; });
  add("drawn", [](auto& draws) { return draws.settings.samples; });
  add.line("drawn", drawn_text);
  add_written(add);
}

WorkForecast forecast_of(const SampleSettings& settings) {
  constexpr double kDraw = 1e-7;  // seconds per draw on one of two cores
  const auto draws = static_cast<double>(settings.samples);
  return {.seconds = kDraw * draws, .result_bytes = 3 * sizeof(double) * draws};
}

CommandResult sample(const SampleSettings& settings, SessionKeeper* sessions) {
  TerminalProgress progress(!settings.quiet);
  const std::vector<std::string>& paths = settings.density.files.paths;
  CommandSession session(sessions, settings.density.files, {}, true, progress);
  if (!session->cloud())
    throw Error(ErrorKind::input, fmt::format("{}: is a volume, not a cloud of samples", paths[0]),
                {{}, "name the points that it was made of"});
  try {
    const DensitySampler sampler(session->cloud(), settings.density.request, settings.seed,
                                 progress);
    write_samples(sampler, settings, progress);
    progress.clear();
    if (sampler.left_out() > 0)
      print_warning(
          "skde",
          {"beyond_faces",
           fmt::format(
               "{} of {} samples lie beyond a face of the box with a boundary, and are left out",
               format_count(sampler.left_out()), format_count(session->cloud()->points.size())),
           {"bounds", "give `bounds` that hold them"}});
    const WrittenFile written = written_file("samples", settings.output);
    return show_result({settings.json, settings.quiet},
                       Draws{settings, *session->cloud(), sampler, {written}});
  } catch (const Error& error) {
    throw naming_inputs(error, paths);
  }
}

CommandResult run_sample(SampleSettings& settings, const ParsedFlags& flags,
                         const Invocation& invocation) {
  settings.density.files.paths = flags.positionals;
  check_sample(flags, settings);
  assume_widths(flags, settings.density.files, settings.density.request);
  check_kernel_options(flags, settings.density.request);
  check_width_options(flags, settings.density.files.columns);
  if (invocation.foretells([&] { return forecast_of(settings); })) return {};
  return sample(settings, invocation.sessions);
}

}  // namespace

const Command kSample = command<sample_table, run_sample>(
    "sample", "draws samples from the density estimate of a cloud");

const AnyTable& draws_document() { return result_table<Draws>(); }

}  // namespace skde::cli
