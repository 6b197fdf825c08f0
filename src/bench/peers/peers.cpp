#include "bench/peers/peers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "bench/measure/refusal.hpp"
#include "bench/peers/child_process.hpp"
#include "bench/peers/peer_runs.hpp"
#include "core/error.hpp"

namespace skde::bench {
namespace {

/// Why the interpreter cannot import the module; empty where it can.
std::string import_problem(const std::string& interpreter, const std::string& module,
                           const Progress& progress) {
  try {
    ChildProcess process({interpreter, "-c", "import " + module});
    if (process.finish(MeasurementSettings{}.start_seconds, progress) == 0) return "";
    return fmt::format("{}: {}", interpreter, process.complaint());
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return error.what();
  }
}

Peer find_python_peer(const std::string& name, const std::string& python,
                      const Progress& progress) {
  const std::string module = name == "sklearn" ? "sklearn.neighbors" : "scipy.stats";
  const std::vector<std::string> candidates =
      python.empty() ? std::vector<std::string>{"python3", "/usr/bin/python3"}
                     : std::vector{python};
  std::string problems;
  for (const std::string& interpreter : candidates) {
    const std::string problem = import_problem(interpreter, module, progress);
    if (problem.empty()) return {name, interpreter};
    problems += (problems.empty() ? "" : "; ") + problem;
  }
  return {name, "", problems + " (--python names another interpreter)"};
}

/// Why the peer cannot compute the case's density.
std::optional<Refusal> unsuited(const Peer& peer, const BenchmarkCase& wanted) {
  if (!peer.unavailable.empty()) return Refusal{Status::skipped, peer.unavailable};
  if (peer.name == "scipy") return {};
  if (wanted.kernel != KernelFunction::epanechnikov)
    return Refusal{Status::skipped, "measured with the Epanechnikov kernel alone"};
  if (peer.name != "mpdfestimator") return {};
  if (wanted.weighted) return Refusal{Status::skipped, "knows no weights"};
  if (wanted.shape != CloudShape::five_gaussians)
    return Refusal{Status::skipped, "takes the covariance of its samples, not that of the case"};
  return {};
}

std::optional<Refusal> run_peer(PeerRuns& runs, const Peer& peer, const BenchmarkInput& input,
                                const MeasurementSettings& settings, const Progress& progress) {
  if (peer.name == "mpdfestimator")
    return run_mpdfestimator(runs, peer.program, input, settings, progress);
  return run_python_peer(runs, peer.name, peer.program, input, settings, progress);
}

/// Holds the peer's values against the density. Only the authors' program, whose errors are known,
/// keeps its times beside an error that is too large.
void judge(Result& result, PeerRuns& runs, CaseCheck& check, const Progress& progress) {
  if (result.method == "scipy") return;  // another kernel: nothing to hold it against
  if (result.method == "mpdfestimator") {
    const double error = check.error_of(*runs.first, progress);
    if (!std::isfinite(error)) return refuse(result, {Status::wrong, "values not finite"});
    result.error = error;
    if (error <= kLargestError) return;
    result.status = Status::inexact;
    result.reason = fmt::format("off the density by {:.2g} of the peak", error);
    return;
  }
  const CaseCheck::Verdict verdict = check.judge(result.method, std::move(*runs.first), progress);
  if (std::isfinite(verdict.error)) result.error = verdict.error;
  if (!verdict.complaint.empty()) refuse(result, {Status::wrong, verdict.complaint});
}

}  // namespace

std::vector<Peer> find_peers(const std::vector<std::string>& names, const std::string& python,
                             const std::string& mpdfestimator, const Progress& progress) {
  std::vector<Peer> peers;
  peers.reserve(names.size());
  for (const std::string& name : names)
    peers.push_back(name == "mpdfestimator" ? Peer{name, mpdfestimator}
                                            : find_python_peer(name, python, progress));
  return peers;
}

Result blank_peer_result(const Peer& peer, const BenchmarkCase& wanted,
                         std::string_view experiment) {
  Result result = blank_result(wanted, experiment, peer.name, Precision::f64);
  if (peer.name == "scipy") result.kernel = kGaussianKernel;
  return result;
}

Result measure_peer(const Peer& peer, const BenchmarkInput& input, std::string_view experiment,
                    const MeasurementSettings& settings, CaseCheck& check, Progress& progress) {
  Result result = blank_peer_result(peer, input.wanted, experiment);
  if (result.kernel != kGaussianKernel) {  // a Gaussian has no end, and no updates to count
    result.half_extents = input.half_extents;
    result.updates = input.work.updates;
    result.evaluated = input.work.evaluated;
  }
  result.warmups = std::max(1, settings.warmups);
  if (std::optional<Refusal> refusal = unsuited(peer, input.wanted)) {
    refuse(result, std::move(*refusal));
    return result;
  }
  PeerRuns runs;
  try {
    std::optional<Refusal> refusal = run_peer(runs, peer, input, settings, progress);
    result.policy = runs.made_by;
    result.seconds = runs.seconds;
    if (refusal)
      refuse(result, std::move(*refusal));
    else
      judge(result, runs, check, progress);
  } catch (const Error& error) {
    progress.throw_if_cancelled();
    refuse(result, {Status::failed, error.what()});
  }
  return result;
}

}  // namespace skde::bench
