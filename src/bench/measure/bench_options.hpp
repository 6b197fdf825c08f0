#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/measure/benchmark_case.hpp"
#include "bench/measure/case_runner.hpp"
#include "bench/measure/recorder.hpp"
#include "cli/command.hpp"
#include "cli/option_table.hpp"

namespace skde::bench {

/// Which peers are measured beside the engines.
struct PeerOptions {
  std::vector<std::string> names;  ///< of kPeerNames, without "mpdfestimator" where it has no path
  std::string python;              ///< interpreter; empty: python3, or /usr/bin/python3
  std::string mpdfestimator;       ///< path; empty: not there
};

/// The flags that experiments share.
struct BenchOptions {
  CasePlan plan;
  OutputFiles files;
  int warmups = 0;  ///< of every engine; 0: 1 of a CPU engine, 3 of a CUDA engine
  std::uint64_t seed = 1;
  KernelFunction kernel = KernelFunction::epanechnikov;
  bool quiet = false;
  PeerOptions peers;
};

/// Lists of what cases are made of; an empty one was not given.
struct CaseLists {
  std::vector<std::uint64_t> samples;
  std::vector<std::int64_t> cells;
  std::vector<double> bandwidths;  ///< h; 0: Silverman's rule
  std::vector<CloudShape> clouds;
  std::vector<bool> weighted;

  /// True where no list was given.
  bool empty() const;
  /// These lists, and those of `others` in the place of empty ones.
  CaseLists completed_by(const CaseLists& others) const;
};

/// Adds --engines, --repetitions, --warmups, --max-seconds, --threads, --device, --precision,
/// --kernel. `engines` says which engines are measured where none is named.
void add_engine_flags(cli::OptionTable& table, BenchOptions& options, const std::string& engines);
/// Adds --peers, --python, --mpdfestimator. `peers` are those that are measured where none is
/// named: "none" or "all".
void add_peer_flags(cli::OptionTable& table, BenchOptions& options, const std::string& peers);
/// Adds --seed.
void add_seed_flag(cli::OptionTable& table, BenchOptions& options);
/// Adds --json, --csv, --output and --quiet.
void add_result_flags(cli::OptionTable& table, BenchOptions& options);
/// Adds --samples and --cells with the defaults that the help page names.
void add_size_flags(cli::OptionTable& table, CaseLists& lists, const std::string& samples,
                    const std::string& cells);
/// Adds --bandwidth, --cloud, --weighted.
void add_cloud_flags(cli::OptionTable& table, CaseLists& lists, const std::string& bandwidth,
                     const std::string& cloud);

/// All combinations of the lists, samples fastest. No list may be empty.
std::vector<BenchmarkCase> all_cases(const CaseLists& lists, const BenchOptions& options);

/// Parses the command line and checks the outputs; nothing where only help was wanted, which is
/// printed.
std::optional<cli::ParsedFlags> parse_options(const cli::OptionTable& table,
                                              const cli::Invocation& invocation,
                                              BenchOptions& options);

/// Finds the peers that the options name, and puts them into their plan.
void find_peers(BenchOptions& options, Recorder& recorder);

/// A recorder for the options; `stages` as in Recorder.
Recorder make_recorder(const BenchOptions& options, const cli::Invocation& invocation, bool stages);

}  // namespace skde::bench
