#include "bench/experiments/case_runner.hpp"

#include <fmt/core.h>

#include <utility>

#include "core/report/error.hpp"
#include "engines/registry/registry.hpp"
#include "system/host_memory.hpp"

namespace skde::bench {
namespace {

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

}  // namespace

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const EngineEntry& entry : engine_table()) names.emplace_back(entry.traits.name);
  return names;
}

void record_overheads(Recorder& recorder, const CasePlan& plan) {
  for (const std::string& name : plan.engines) {
    const EngineEntry& entry = engine_entry(name);
    if (!entry.unavailable().empty() || !entry.traits.serves_grids) continue;
    recorder.progress().throw_if_cancelled();
    recorder.add(Overhead{name, empty_run_seconds(name, plan.measurement.options)});
  }
}

void run_case(Recorder& recorder, const CasePlan& plan, const BenchmarkCase& wanted) {
  if (skip_large_case(recorder, plan, wanted)) return;
  announce(recorder, label_of(plan, wanted, "making the samples"));
  const BenchmarkInput input = make_input(wanted);
  CaseCheck check(input,
                  plan.checked_cells > 0 ? plan.checked_cells : checked_cells(wanted.samples));
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

}  // namespace skde::bench
