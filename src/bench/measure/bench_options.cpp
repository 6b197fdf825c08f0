#include "bench/measure/bench_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "bench/measure/machine.hpp"
#include "bench/peers/peers.hpp"
#include "cli/standard_output.hpp"
#include "core/error.hpp"
#include "core/nearest_name.hpp"

namespace skde::bench {
namespace {

using cli::OneOf;
using cli::OptionTable;
using cli::RealNumber;
using cli::WholeNumber;

/// The entries of "a,b,c", each turned into a value by `parse`.
template <class Parse>
auto parse_entries(const std::string& given, Parse parse) {
  std::vector<decltype(parse(given))> values;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = given.find(',', begin);
    values.push_back(parse(given.substr(begin, end - begin)));
    if (end == given.npos) return values;
    begin = end + 1;
  }
}

template <class Parse>
auto list_of(Parse parse) {
  return [parse](const std::string& given) { return parse_entries(given, parse); };
}

std::string engine_named(const std::string& name) {
  const std::vector<std::string> known = engine_names();
  for (const std::string& engine : known)
    if (engine == name) return name;
  const std::vector<std::string_view> names(known.begin(), known.end());
  throw Error(ErrorKind::usage, fmt::format("unknown engine '{}'", name),
              {{}, did_you_mean(name, names)});
}

double bandwidth_named(const std::string& given) {
  if (given == "silverman") return 0;
  const double h = RealNumber(0)(given);
  if (!(h > 0)) throw Error(ErrorKind::usage, "a bandwidth is above 0, or silverman");
  return h;
}

/// The peers of a list of names, or of "all" or "none".
std::vector<std::string> peers_named(const std::string& given) {
  if (given == "none") return {};
  if (given == "all") return {kPeerNames.begin(), kPeerNames.end()};
  return parse_entries(given, [](const std::string& name) {
    if (std::ranges::find(kPeerNames, name) != kPeerNames.end()) return name;
    throw Error(ErrorKind::usage, fmt::format("unknown peer '{}'", name),
                {{}, did_you_mean(name, kPeerNames)});
  });
}

/// Adds the authors' program to the peers where its path is given, or leaves it out where it is
/// not. Throws Error(usage) where a flag would be ignored.
void complete_peers(PeerOptions& peers, const cli::ParsedFlags& flags) {
  std::vector<std::string>& names = peers.names;
  const auto wanted = [&](std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  if (!flags.has("mpdfestimator")) {
    const bool all = names.size() == kPeerNames.size();
    if (!all && wanted("mpdfestimator"))
      throw Error(ErrorKind::usage, "the peer mpdfestimator has no path; add --mpdfestimator PATH");
    std::erase(names, "mpdfestimator");
  } else if (!wanted("mpdfestimator")) {
    if (flags.has("peers"))
      throw Error(ErrorKind::usage,
                  "--mpdfestimator would be ignored; add mpdfestimator to --peers or leave it out");
    names.emplace_back("mpdfestimator");
  }
  if (flags.has("python") && !wanted("sklearn") && !wanted("scipy"))
    throw Error(ErrorKind::usage, "--python would be ignored; add --peers sklearn,scipy");
}

int whole(const std::string& given, std::uint64_t least, std::uint64_t most) {
  return static_cast<int>(WholeNumber(least, most)(given));
}

void add_device_flags(OptionTable& table, EngineOptions& options) {
  table.value({.name = "threads",
               .value = "N",
               .help = "CPU threads of a CPU engine",
               .by_default = "one a core"},
              options.threads, [](const std::string& given) { return whole(given, 1, 4096); });
  table.value({.name = "device",
               .value = "I",
               .help = "index of the GPU of a CUDA engine",
               .by_default = "0"},
              options.device, [](const std::string& given) {
                return whole(given, 0, std::numeric_limits<int>::max());
              });
  table.value({.name = "precision",
               .value = "f32|f64",
               .help = "type of the sums and of the volume",
               .by_default = "f32"},
              options.precision,
              OneOf<Precision>{{"f32", Precision::f32}, {"f64", Precision::f64}});
}

}  // namespace

bool CaseLists::empty() const {
  return samples.empty() && cells.empty() && bandwidths.empty() && clouds.empty() &&
         weighted.empty();
}

CaseLists CaseLists::completed_by(const CaseLists& others) const {
  CaseLists all = *this;
  if (samples.empty()) all.samples = others.samples;
  if (cells.empty()) all.cells = others.cells;
  if (bandwidths.empty()) all.bandwidths = others.bandwidths;
  if (clouds.empty()) all.clouds = others.clouds;
  if (weighted.empty()) all.weighted = others.weighted;
  return all;
}

void add_engine_flags(OptionTable& table, BenchOptions& options, const std::string& engines) {
  MeasurementSettings& measurement = options.plan.measurement;
  table.group("Measurement");
  table.value({.name = "engines",
               .value = "NAME,...",
               .help = "engines to measure, see 'skde engines'",
               .by_default = engines},
              options.plan.engines, list_of(engine_named));
  table.value({.name = "repetitions",
               .value = "R",
               .help = "measured runs",
               .by_default = fmt::format("{}", measurement.repetitions)},
              measurement.repetitions,
              [](const std::string& given) { return whole(given, 1, 1000); });
  table.value({.name = "warmups",
               .value = "R",
               .help = "runs before them, whose times are discarded",
               .by_default = "1 of a CPU engine, 3 of a CUDA engine"},
              options.warmups, [](const std::string& given) { return whole(given, 1, 1000); });
  table.value({.name = "max-seconds",
               .value = "S",
               .help = "the longest run; what would take longer is skipped, with that reason",
               .by_default = fmt::format("{:g}", measurement.max_seconds)},
              measurement.max_seconds, RealNumber(0));
  add_device_flags(table, measurement.options);
  table.value({.name = "kernel",
               .value = "NAME",
               .help = "epanechnikov, uniform, biweight or triweight",
               .by_default = "epanechnikov"},
              options.kernel,
              [](const std::string& given) { return KernelFunction::named(given); });
}

void add_peer_flags(OptionTable& table, BenchOptions& options, const std::string& peers) {
  PeerOptions& wanted = options.peers;
  wanted.names = peers_named(peers);
  table.group("Programs of others");
  table.value(
      {.name = "peers",
       .value = "NAME,...",
       .help = "sklearn (KernelDensity), scipy (gaussian_kde, another kernel: only its time "
               "compares), mpdfestimator; all or none. What is missing is a row that says so",
       .by_default = peers == "all" ? "all" : "none, or mpdfestimator with its path"},
      wanted.names, peers_named);
  table.value({.name = "python",
               .value = "PATH",
               .help = "interpreter of sklearn and scipy",
               .by_default = "python3 or /usr/bin/python3, the first one that has the module"},
              wanted.python);
  table.value({.name = "mpdfestimator",
               .value = "PATH",
               .help = "the S-KDE authors' program, which --peers all leaves out without it"},
              wanted.mpdfestimator);
}

void add_seed_flag(OptionTable& table, BenchOptions& options) {
  table.value({.name = "seed", .value = "S", .help = "seed of the samples", .by_default = "1"},
              options.seed, WholeNumber(0));
}

void add_result_flags(OptionTable& table, BenchOptions& options) {
  table.group("Results");
  table.value({.name = "json", .value = "FILE", .help = "results, machine and command as JSON"},
              options.files.json);
  table.value({.name = "csv", .value = "FILE", .help = "a row a result"}, options.files.csv);
  table.value({.name = "output",
               .value = "FOLDER",
               .help = "takes results.json and results.csv; made where it is not there",
               .letter = 'o'},
              options.files.folder);
  table.flag({.name = "quiet", .help = "no progress on the terminal"}, options.quiet);
}

void add_size_flags(OptionTable& table, CaseLists& lists, const std::string& samples,
                    const std::string& cells) {
  constexpr std::uint64_t kMostSamples = 4'000'000'000, kMostCells = 1 << 14;
  table.group("Cases");
  table.value({.name = "samples",
               .value = "N,...",
               .help = "numbers of samples, also as 1e6",
               .by_default = samples},
              lists.samples, list_of(WholeNumber(10, kMostSamples)));
  table.value({.name = "cells",
               .value = "M,...",
               .help = "cells along each side of [-5,5]^3",
               .by_default = cells},
              lists.cells, list_of([](const std::string& given) {
                return static_cast<std::int64_t>(WholeNumber(1, kMostCells)(given));
              }));
}

void add_cloud_flags(OptionTable& table, CaseLists& lists, const std::string& bandwidth,
                     const std::string& cloud) {
  std::string shapes;
  for (const CloudShape shape : kCloudShapes)
    shapes += fmt::format("{}{}", shapes.empty() ? "" : ", ", cloud_name(shape));
  table.value({.name = "bandwidth",
               .value = "H,...",
               .help = "h in H = h^2 S; or silverman",
               .by_default = bandwidth},
              lists.bandwidths, list_of(bandwidth_named));
  table.value({.name = "cloud",
               .value = "NAME,...",
               .help = "how the samples lie: " + shapes,
               .by_default = cloud},
              lists.clouds,
              list_of([](const std::string& given) { return cloud_shape_by_name(given); }));
  table.value({.name = "weighted",
               .value = "no|yes|both",
               .help = "samples with weights of their own",
               .by_default = "no"},
              lists.weighted,
              OneOf<std::vector<bool>>{{"no", {false}}, {"yes", {true}}, {"both", {false, true}}});
}

std::vector<BenchmarkCase> all_cases(const CaseLists& lists, const BenchOptions& options) {
  std::vector<BenchmarkCase> cases;
  for (const CloudShape shape : lists.clouds)
    for (const bool weighted : lists.weighted)
      for (const double h : lists.bandwidths)
        for (const std::int64_t cells : lists.cells)
          for (const std::uint64_t samples : lists.samples) {
            BenchmarkCase one;
            one.shape = shape;
            one.samples = samples;
            one.cells = cells;
            one.h = h;
            one.kernel = options.kernel;
            one.weighted = weighted;
            one.seed = options.seed;
            cases.push_back(one);
          }
  return cases;
}

std::optional<cli::ParsedFlags> parse_options(const OptionTable& table,
                                              const cli::Invocation& invocation,
                                              BenchOptions& options) {
  cli::ParsedFlags flags = table.parse(invocation.arguments);
  if (flags.help_wanted) {
    cli::print(table.help());
    return {};
  }
  flags.require_no_positionals(table.command());
  MeasurementSettings& measurement = options.plan.measurement;
  if (options.warmups > 0) measurement.warmups = measurement.cuda_warmups = options.warmups;
  complete_peers(options.peers, flags);
  check_outputs(options.files);
  return flags;
}

void find_peers(BenchOptions& options, Recorder& recorder) {
  if (options.peers.names.empty()) return;
  recorder.progress().begin("looking for peers", 0, "");
  recorder.progress().update(0);
  options.plan.peers = find_peers(options.peers.names, options.peers.python,
                                  options.peers.mpdfestimator, recorder.progress());
}

Recorder make_recorder(const BenchOptions& options, const cli::Invocation& invocation,
                       bool stages) {
  RunRecord run;
  run.machine = describe_machine(options.plan.measurement.options.device);
  run.date = utc_now();
  run.command_line = invocation.command_line;
  return {std::move(run), options.files, stages, options.quiet};
}

}  // namespace skde::bench
