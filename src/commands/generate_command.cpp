#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "cli/options/option_table.hpp"
#include "cli/outputs.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_output.hpp"
#include "core/cloud/synthetic_cloud.hpp"
#include "io/points/point_writer.hpp"

namespace skde::cli {
namespace {

constexpr std::uint64_t kGeneratedAtOnce = 1 << 16;

struct CloudKind {
  std::string_view name, summary;
  Samples (*make)(std::uint64_t seed, std::uint64_t first, std::uint64_t count);
};

constexpr std::array<CloudKind, 3> kKinds{{
    {"five-gaussians", "the benchmark cloud of the S-KDE papers, for the box [-5,5]^3",
     make_five_gaussians},
    {"uniform", "uniform in the unit cube", make_uniform_cloud},
    {"forest", "a laser scan of a forest plot of 120 m by 90 m, in metres", make_forest},
}};

struct GenerateSettings {
  std::uint64_t samples = 100000, seed = 1;
  std::string output;
  bool json = false, quiet = false;
};

const CloudKind& cloud_kind_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CloudKind& kind : kKinds) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw Error(ErrorKind::usage, fmt::format("unknown kind of cloud '{}'", name),
              {{}, did_you_mean(name, names)});
}

OptionTable generate_table(GenerateSettings& settings) {
  std::string kinds;
  std::vector<std::string> words;
  for (const CloudKind& kind : kKinds) {
    kinds += fmt::format("{}{} ({})", kinds.empty() ? "" : "; ", kind.name, kind.summary);
    words.emplace_back(kind.name);
  }
  OptionTable table(
      "skde generate", "KIND --samples N -o FILE [FLAGS]",
      "Writes a seeded synthetic cloud, the same numbers on every machine. Kinds: " + kinds + ".");
  table.argument_words(std::move(words));
  table.value({.name = "output",
               .value = "FILE",
               .help = "file of points to write: " + io::point_writer_extensions(),
               .letter = 'o',
               .names_file = true},
              settings.output);
  table.value({.name = "samples",
               .value = "N",
               .help = "number of samples, such as 1e6",
               .by_default = "100000"},
              settings.samples, WholeNumber(1));
  table.value(
      {.name = "seed", .value = "S", .help = "seed of the random numbers", .by_default = "1"},
      settings.seed, WholeNumber(0));
  add_summary_flags(table, settings.json, settings.quiet);
  table.example("skde generate forest --samples 2e6 -o forest.ply", "two million points as PLY");
  return table;
}

WorkForecast forecast_of(const GenerateSettings& settings) {
  constexpr double kSample = 2e-8;  // seconds per sample on one of two cores
  const auto samples = static_cast<double>(settings.samples);
  return {.seconds = kSample * samples, .result_bytes = 3 * sizeof(double) * samples};
}

void write_cloud(const CloudKind& kind, const GenerateSettings& settings) {
  TerminalProgress progress(!settings.quiet);
  io::PointWriter writer(settings.output, settings.samples);
  progress.begin(fmt::format("writing {}", settings.output), settings.samples, "samples");
  for (std::uint64_t first = 0; first < settings.samples; first += kGeneratedAtOnce) {
    progress.throw_if_cancelled();
    const std::uint64_t count = std::min(kGeneratedAtOnce, settings.samples - first);
    writer.write(kind.make(settings.seed, first, count).view());
    progress.update(first + count);
  }
  progress.throw_if_cancelled();
  writer.finish();
}

/// The generated cloud, and where it was written.
struct Generated {
  std::string_view cloud;
  std::uint64_t seed, samples;
  std::vector<WrittenFile> written;
};

}  // namespace

void add_fields(Fields<Generated>& add) {
  add.name("generated", "skde generate --json");
  add("cloud", &Generated::cloud);
  add("seed", &Generated::seed);
  add.line("cloud", [](auto& made) {
    return fmt::format("{} samples of {}, seed {}", format_count(made.samples), made.cloud,
                       made.seed);
  });
  add("samples", &Generated::samples);
  add_written(add);
}

namespace {

CommandResult run_generate(GenerateSettings& settings, const ParsedFlags& flags,
                           const Invocation& invocation) {
  if (flags.positionals.size() != 1)
    throw Error(ErrorKind::usage,
                fmt::format("expected one kind of cloud; got {}; see 'skde generate --help'",
                            flags.positionals.size()));
  const CloudKind& kind = cloud_kind_named(flags.positionals[0]);
  if (settings.output.empty())
    throw Error(ErrorKind::usage, "no output is given; name a file with -o FILE");
  require_writable(settings.output, "-o");
  if (invocation.foretells([&] { return forecast_of(settings); })) return {};
  write_cloud(kind, settings);
  return show_result(
      {settings.json, settings.quiet},
      Generated{
          kind.name, settings.seed, settings.samples, {written_file("samples", settings.output)}});
}

}  // namespace

const Command kGenerate = command<generate_table, run_generate>(
    "generate", "writes a seeded synthetic cloud, for trials");

const AnyTable& generated_document() { return result_table<Generated>(); }

}  // namespace skde::cli
