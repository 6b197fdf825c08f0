#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bench/bench_commands.hpp"
#include "bench/measure/engine_measurement.hpp"
#include "bench/measure/machine.hpp"
#include "bench/measure/recorder.hpp"
#include "bench/peers/peers.hpp"
#include "cli/options/density_options.hpp"
#include "core/report/error.hpp"
#include "engines/registry/registry.hpp"
#include "system/host_memory.hpp"

namespace skde::bench {
namespace {

using cli::OptionTable;

/// What an experiment does with each of its cases.
struct CasePlan {
  std::string experiment;
  std::vector<std::string> engines;
  std::vector<Peer> peers;
  MeasurementSettings measurement;
};

/// Records the case as skipped if it is too large for the host. Returns false if it is not.
bool skip_large_case(Recorder& recorder, const CasePlan& plan, const BenchmarkCase& wanted) {
  const Precision precision = plan.measurement.precision;
  const double needed = host_bytes(wanted, precision);
  const auto available = static_cast<double>(available_memory());
  if (needed <= available) return false;
  const Refusal refusal{Status::skipped,
                        fmt::format("needs {} of host memory, {} are available",
                                    format_bytes(needed), format_bytes(available))};
  std::vector<Result> rows;
  for (const std::string& engine : plan.engines)
    rows.push_back(blank_result(wanted, plan.experiment, engine, precision));
  for (const Peer& peer : plan.peers)
    rows.push_back(blank_peer_result(peer, wanted, plan.experiment));
  for (Result& row : rows) {
    refuse(row, refusal);
    recorder.add(std::move(row));
  }
  return true;
}

std::string label_of(const CasePlan& plan, const BenchmarkCase& wanted, std::string_view activity) {
  return fmt::format("{}: {}, N = {:g}, {}^3 cells: {}", plan.experiment, cloud_name(wanted.shape),
                     static_cast<double>(wanted.samples), wanted.cells, activity);
}

void announce(Recorder& recorder, const std::string& label) {
  recorder.progress().throw_if_cancelled();
  recorder.progress().begin(label, 0, "");
  recorder.progress().update(0);
}

/// Returns the names of all engines, in the order of their table.
std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const EngineEntry& entry : engine_table()) names.emplace_back(entry.traits.name);
  return names;
}

/// Measures and records the empty run of each engine that can run here.
void record_overheads(Recorder& recorder, const CasePlan& plan) {
  for (const std::string& name : plan.engines) {
    const EngineEntry& entry = engine_entry(name);
    if (!entry.unavailable().empty() || !entry.traits.serves_grids) continue;
    recorder.progress().throw_if_cancelled();
    recorder.add(Overhead{name, empty_run_seconds(name, plan.measurement.options)});
  }
}

/// Measures all engines and peers on a case, and checks them against a reference and each other.
/// Records a result for each, even if the case does not fit in memory. Throws Error(cancelled) if
/// the user cancels.
void run_case(Recorder& recorder, const CasePlan& plan, const BenchmarkCase& wanted) {
  if (skip_large_case(recorder, plan, wanted)) return;
  announce(recorder, label_of(plan, wanted, "making the samples"));
  const BenchmarkInput input = make_input(wanted);
  CaseCheck check(input, checked_cells(wanted.samples));
  for (const std::string& engine : plan.engines) {
    announce(recorder, label_of(plan, wanted, engine));
    recorder.add(measure_engine(engine, input, plan.experiment, plan.measurement, check,
                                recorder.progress()));
  }
  for (const Peer& peer : plan.peers) {
    announce(recorder, label_of(plan, wanted, peer.name));
    recorder.add(
        measure_peer(peer, input, plan.experiment, plan.measurement, check, recorder.progress()));
  }
}

/// Values that cases combine: all combinations, samples fastest.
struct CaseLists {
  std::vector<std::uint64_t> samples;
  std::vector<std::int64_t> cells;
  std::vector<double> bandwidths;  ///< h; 0: Silverman's rule
  std::vector<CloudShape> clouds{CloudShape::five_gaussians};
  std::vector<bool> weighted{false};
  std::vector<CaseWidths> widths{CaseWidths::none};
  std::vector<KernelFunction> kernels{KernelFunction::epanechnikov};
  std::vector<double> tolerances{0};
};

/// A command that measures cases: its defaults, its help page, and the values of its flags.
struct Experiment {
  std::string name, summary;
  std::array<const char*, 3> texts;  ///< for the help page, on the lists of usual cases; an empty
                                     ///< text removes the flag for bandwidths, clouds or weights
  CaseLists lists;                   ///< usual cases; given lists replace them
  std::vector<CaseLists> sweeps{};   ///< used instead of `lists` if no list is given
  CasePlan plan{};
  std::string peers{};  ///< "all" or "none"; empty if no peers are measured
  bool overheads = false, ceilings = false, stages = false;

  ResultOptions output{};
  std::uint64_t seed = 1;
  int warmups = 0;  ///< for every engine; 0: as in the plan
  std::vector<std::string> peer_names{};
  std::string python{}, mpdfestimator{};
};

double bandwidth_named(const std::string& given) {
  if (given == "silverman") return 0;
  const double h = RealNumber(0)(given);
  if (!(h > 0)) throw Error(ErrorKind::usage, "must be above 0, or silverman");
  return h;
}

std::vector<std::string> peers_named(const std::string& given) {
  if (given == "none") return {};
  std::vector<std::string> all(kPeers.size());
  std::ranges::transform(kPeers, all.begin(),
                         [](const PeerEntry& p) { return std::string(p.name); });
  return given == "all" ? all : list_of(NameAmong(all, "peer"))(given);
}

void add_case_flags(OptionTable& table, Experiment& e) {
  table.group("Cases");
  table.value({"samples", "N,...", "numbers of samples, such as 1e6", e.texts[0]}, e.lists.samples,
              list_of(WholeNumber(10, 4'000'000'000)));
  table.value({"cells", "M,...", "cells along each side of [-5,5]^3", e.texts[1]}, e.lists.cells,
              list_of(WholeNumber<std::int64_t>(1, 1 << 14)));
  if (const std::string bandwidths = e.texts[2]; !bandwidths.empty()) {
    std::string shapes;
    for (const auto& [name, shape] : kClouds) shapes += fmt::format(", {}", name);
    table.value({"bandwidth", "H,...", "h in H = h^2 S, or silverman", bandwidths},
                e.lists.bandwidths, list_of(bandwidth_named));
    table.value(
        {"cloud", "NAME,...", "distribution of the samples: " + shapes.substr(2), "five-gaussians"},
        e.lists.clouds, list_of(OneOf<CloudShape>(kClouds)));
    const OneOf<std::vector<bool>> weights{
        {"no", {false}}, {"yes", {true}}, {"both", {false, true}}};
    table.value({"weighted", "no|yes|both", "samples with weights", "no"}, e.lists.weighted,
                weights);
    table.value({"widths", "NAME,...",
                 "per-sample kernels: none; factors on the common lengths from 1/4 to 2; or "
                 "splats, randomly rotated, with three lengths from 1/8 to 1 each",
                 "none"},
                e.lists.widths, list_of(OneOf<CaseWidths>(kCaseWidths)));
    table.value({"tolerance", "E,...",
                 "allowed error for speed, as a share of the peak; 0: rounding errors only", "0"},
                e.lists.tolerances, list_of(parse_tolerance));
  }
  table.value({"kernel", "NAME,...", kernel_names(), "epanechnikov"}, e.lists.kernels,
              list_of(KernelFunction::named));
  table.value({"seed", "S", "seed of the samples", "1"}, e.seed, WholeNumber(0));
}

void add_engine_flags(OptionTable& table, Experiment& e) {
  MeasurementSettings& measured = e.plan.measurement;
  EngineOptions& options = measured.options;
  table.group("Measurement");
  table.value(
      {"engines", "NAME,...", "engines to measure, see 'skde engines'",
       e.plan.engines == engine_names() ? "all"
                                        : fmt::format("{}", fmt::join(e.plan.engines, ","))},
      e.plan.engines, list_of(NameAmong(engine_names(), "engine")));
  table.value(
      {"repetitions", "R", "number of measured runs", fmt::format("{}", measured.repetitions)},
      measured.repetitions, WholeNumber<int>(1, 1000));
  table.value({"warmups", "R", "number of runs before them, whose times are discarded",
               "1 for a CPU engine, 3 for a CUDA engine"},
              e.warmups, WholeNumber<int>(1, 1000));
  table.value({"max-seconds", "S",
               "time limit of a run; a run predicted to take longer is skipped, with that reason",
               fmt::format("{:g}", measured.max_seconds)},
              measured.max_seconds, RealNumber(0));
  table.value({"threads", "N", "CPU threads of a CPU engine", "one per core"}, options.threads,
              WholeNumber<int>(1, 4096));
  cli::add_device_flag(table, options);
  table.value({"precision", "f32|f64", "type of the sums and of the volume", "f32"},
              measured.precision,
              OneOf<Precision>{{"f32", Precision::f32}, {"f64", Precision::f64}});
}

void add_peer_flags(OptionTable& table, Experiment& e) {
  std::string names;
  for (const PeerEntry& peer : kPeers) names += fmt::format("{} ({}), ", peer.name, peer.what);
  table.group("Programs by others");
  table.value(
      {"peers", "NAME,...", names + "all or none; a missing program becomes a row with the reason",
       e.peers == "all" ? "all" : "none, or mpdfestimator with its path"},
      e.peer_names, peers_named);
  table.value({"python", "PATH", "Python interpreter for the peers",
               "python3 or /usr/bin/python3, the first one that has their modules"},
              e.python);
  table.value({"mpdfestimator", "PATH",
               "path of the S-KDE authors' program; --peers all omits it without this"},
              e.mpdfestimator);
}

/// Adds the authors' program to the peers where its path is given, or leaves it out where it is
/// not. Throws Error(usage) where a flag would be ignored.
void complete_peers(std::vector<std::string>& names, const cli::ParsedFlags& given) {
  const bool wanted = std::ranges::count(names, "mpdfestimator") > 0;
  const bool has_path = given.has("mpdfestimator");
  if (wanted && !has_path && names.size() < kPeers.size())
    throw Error(ErrorKind::usage, "the peer mpdfestimator has no path; add --mpdfestimator PATH");
  if (has_path && !wanted && given.has("peers"))
    throw Error(ErrorKind::usage,
                "--mpdfestimator has no effect without the peer mpdfestimator; add it to --peers, "
                "or drop it");
  if (has_path && !wanted) names.emplace_back("mpdfestimator");
  if (!has_path) std::erase(names, "mpdfestimator");
  if (given.has("python") && names.empty())
    throw Error(
        ErrorKind::usage,
        "--python has no effect without a Python peer; add --peers sklearn,scipy, or drop it");
}

/// All combinations.
void append_cases(const CaseLists& lists, std::uint64_t seed, std::vector<BenchmarkCase>& cases) {
  for (const CloudShape shape : lists.clouds)
    for (const bool weighted : lists.weighted)
      for (const CaseWidths widths : lists.widths)
        for (const KernelFunction kernel : lists.kernels)
          for (const double h : lists.bandwidths)
            for (const double tolerance : lists.tolerances)
              for (const std::int64_t cells : lists.cells)
                for (const std::uint64_t samples : lists.samples)
                  cases.push_back(
                      {shape, samples, cells, h, kernel, weighted, widths, seed, tolerance});
}

std::vector<BenchmarkCase> cases_of(const Experiment& e) {
  std::vector<BenchmarkCase> cases;
  for (const CaseLists& lists : e.sweeps) append_cases(lists, e.seed, cases);
  return cases;
}

void measure(Recorder& recorder, Experiment& e) {
  EngineOptions& options = e.plan.measurement.options;
  if (!e.peer_names.empty()) {
    recorder.announce("looking for peers");
    e.plan.peers = find_peers(e.peer_names, e.python, e.mpdfestimator, recorder.progress());
  }
  if (e.ceilings) {
    for (const Ceiling& ceiling : measure_host_ceilings(options.threads)) recorder.add(ceiling);
    recorder.progress().throw_if_cancelled();
    for (const Ceiling& ceiling : measure_cuda_ceilings(options.device)) recorder.add(ceiling);
  }
  if (e.overheads) record_overheads(recorder, e.plan);
  for (const BenchmarkCase& wanted : cases_of(e)) run_case(recorder, e.plan, wanted);
}

/// The table of a command, with examples: arguments, and what they do.
OptionTable experiment_table(Experiment& e,
                             const std::vector<std::pair<std::string, std::string>>& examples) {
  e.plan.experiment = e.name;
  if (e.plan.engines.empty()) e.plan.engines = engine_names();
  e.peer_names = peers_named(e.peers.empty() ? "none" : e.peers);
  OptionTable table("skde-bench " + e.name, "[FLAGS]", e.summary);
  add_case_flags(table, e);
  add_engine_flags(table, e);
  if (!e.peers.empty()) add_peer_flags(table, e);
  e.output.add_flags(table);
  table.most_used({"samples", "cells", "bandwidth", "kernel", "engines", "repetitions", "precision",
                   "peers", "json", "output"});
  for (const auto& [line, meaning] : examples)
    table.example(fmt::format("skde-bench {} {}", e.name, line), meaning);
  return table;
}

void run(Experiment& e, const cli::ParsedFlags& given, const cli::Invocation& invocation) {
  MeasurementSettings& measured = e.plan.measurement;
  e.output.require(given);
  complete_peers(e.peer_names, given);
  if (e.warmups > 0) measured.warmups = measured.cuda_warmups = e.warmups;
  const bool own_lists = given.has("samples") || given.has("cells") || given.has("bandwidth") ||
                         given.has("cloud") || given.has("weighted") || given.has("tolerance") ||
                         given.has("widths");
  if (own_lists || e.sweeps.empty()) e.sweeps = {e.lists};
  if (given.has("kernel"))
    for (CaseLists& lists : e.sweeps) lists.kernels = e.lists.kernels;
  Recorder recorder(e.output, invocation, measured.options.device, e.stages);
  recorder.record([&] { measure(recorder, e); });
}

OptionTable case_table(Experiment& e) {
  e = {"case",
       "Measures the engines on one case, or on all combinations of several values, and "
       "shows the stages of the fastest run.",
       {"1e5", "100", "1"},
       {{100000}, {100}, {1}}};
  e.plan.measurement.repetitions = 5;
  e.peers = "none";
  e.stages = true;
  return experiment_table(
      e, {{"--samples 1e6 --cells 256 --bandwidth 0.346", "a million samples on 256^3 cells"}});
}

// The experiment of Lopez-Novoa et al. (2015, 2016): five Gaussians with centres and variances
// uniform in [-1,1], the variances by absolute value, in the box [-5,5]^3; Epanechnikov kernels
// with the covariance of the samples and a bandwidth of 1, so H = S.
OptionTable paper_table(Experiment& e) {
  e = {"paper",
       "Runs the published experiment of the S-KDE papers: five Gaussians in [-5,5]^3, a "
       "bandwidth of 1, the Epanechnikov kernel, three repetitions.",
       {"100,1e3,1e4,1e5", "10,25,50,100", ""},
       {{100, 1000, 10000, 100000}, {10, 25, 50, 100}, {1}}};
  e.peers = "all";
  e.overheads = true;
  return experiment_table(
      e, {{"-o paper/", "all of it, with paper/results.json"},
          {"--samples 100,1000 --cells 10,25 --engines openmp,span", "a corner of the grid"}});
}

OptionTable scale_table(Experiment& e) {
  e = {
      "scale",
      "Measures the engines at current problem sizes. Without lists of cases, varies one parameter "
      "at a time about a million samples on 256^3 cells: N from 1e4 to 1e8, M from 64 to 1024, h "
      "from 0.12 to 1, the cloud, and weights. With lists, measures all combinations.",
      {"1e6", "256", "silverman"},
      {{1000000}, {256}, {0}}};
  e.sweeps.assign(5, e.lists);
  e.sweeps[0].samples = {10000, 100000, 1000000, 10000000, 100000000};
  e.sweeps[1].cells = {64, 128, 512, 1024};
  e.sweeps[2].bandwidths = {0.12, 0.346, 1};
  e.sweeps[3].clouds = {CloudShape::uniform, CloudShape::filament, CloudShape::surface,
                        CloudShape::clump};
  e.sweeps[4].weighted = {true};
  e.plan.engines = {"openmp", "span", "cuda-chop-crop", "cuda-span"};
  e.plan.measurement.max_seconds = 30;
  e.peers = "none";
  e.overheads = true;
  return experiment_table(
      e, {{"-o scale/", "the default sweeps"},
          {"--samples 1e6,1e7 --cells 512 --bandwidth 0.12,0.346,1", "six cases"}});
}

OptionTable stages_table(Experiment& e) {
  e = {"stages",
       "Measures the ceilings of the machine (copy, fused multiply-adds, atomics) and the "
       "stages of each engine: time, bytes and operations by a model, and the share of the "
       "nearest ceiling that they reach.",
       {"1e6", "256", "0.346,1"},
       {{1000000}, {256}, {0.346, 1}}};
  e.plan.engines = {"openmp", "span", "cuda-naive", "cuda-chop-crop", "cuda-span"};
  e.plan.measurement.repetitions = 5;
  e.plan.measurement.max_seconds = 20;
  e.ceilings = e.overheads = e.stages = true;
  return experiment_table(e, {{"--cells 512 -o stages/", "on 512^3 cells"}});
}

}  // namespace

const cli::Command kCaseCommand =
    cli::command<case_table, run>("case", "measures every engine on one case");
const cli::Command kPaperCommand =
    cli::command<paper_table, run>("paper", "runs the published experiment of the S-KDE papers");
const cli::Command kScaleCommand = cli::command<scale_table, run>(
    "scale", "measures current problem sizes: samples, cells, bandwidths, clouds, weights");
const cli::Command kStagesCommand = cli::command<stages_table, run>(
    "stages", "compares the stages of each engine with the machine's ceilings");
}  // namespace skde::bench
