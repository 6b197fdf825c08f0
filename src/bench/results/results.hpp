#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skde::bench {

/// Outcome of a method on a case.
enum class Status {
  ok,       ///< measured, and its values agree with those of the others
  inexact,  ///< a peer that ran but is off the density: its error is shown with its times
  skipped,  ///< not run: not available, or predicted to need too much time or memory
  failed,   ///< it ended with an error
  wrong     ///< it ran, but its values are not the density; it has no times
};
inline constexpr std::array<std::string_view, 5> kStatusNames{"ok", "inexact", "skipped", "failed",
                                                              "wrong"};
constexpr std::string_view status_name(Status status) {
  return kStatusNames[static_cast<std::size_t>(status)];
}
/// Returns whether results with this status have times.
constexpr bool is_timed(Status status) { return status == Status::ok || status == Status::inexact; }

/// Kernel of peers that compute another density than the engines: only their times are comparable.
inline constexpr std::string_view kGaussianKernel = "gaussian";

/// A stage of the fastest repetition. Bytes and operations follow a stated model
/// (stage_records()), and are missing if there is none.
struct StageRecord {
  std::string stage;
  double seconds = 0;
  std::optional<double> bytes;       ///< to and from memory
  std::optional<double> operations;  ///< of the kind named by `ceiling`
  std::string ceiling{};             ///< name of the Ceiling of the operations: "fma"; may be empty
};

/// One method on one case. Times are in seconds, lengths in cells of the grid.
struct Result {
  std::string experiment;                ///< the command: "paper"
  std::string method;                    ///< an engine ("cuda-span"), a peer, or a reader or writer
  std::string device;                    ///< "cpu" or "cuda"
  std::string cloud;                     ///< "five-gaussians"
  std::uint64_t samples = 0;             ///< N
  std::int64_t cells = 0;                ///< M: the grid has M^3 cells; 0 without a grid
  double h = 0;                          ///< of H = h^2 S; 0 without a kernel
  std::string kernel;                    ///< "epanechnikov"; a peer may have another
  std::string precision;                 ///< of the sums: "f32" or "f64"
  bool weighted = false;                 ///< the samples have weights
  std::string widths;                    ///< "factors" or "splats": per-sample kernels
  std::optional<double> tolerance{};     ///< as a share of the peak; none: rounding only
  std::array<double, 3> half_extents{};  ///< of the kernel
  double updates = 0;                    ///< cells inside the kernels: the additions to the volume
  double evaluated = 0;                  ///< cells of the boxes left by chop and crop
  Status status = Status::ok;
  std::string reason;               ///< why it is not ok
  bool automatic = false;           ///< skde would choose this engine on its device
  int warmups = 0;                  ///< runs before the measured ones
  int inputs = 1;                   ///< different clouds that the repetitions took in turn
  std::vector<double> seconds;      ///< of every repetition, in order
  std::vector<StageRecord> stages;  ///< of the fastest repetition
  std::string policy;               ///< launch policy: threads, tiles, blocks
  std::optional<double> error;      ///< largest difference to the reference, as a share of the peak
  // Results of experiments on mixtures.
  std::optional<double> members{};         ///< K
  std::optional<double> bytes{};           ///< of what is kept
  std::optional<double> relative_error{};  ///< sqrt(sum (m - f)^2 / sum f^2) over the cells
  std::optional<double> psnr{};            ///< in decibels, not below 0
  std::optional<double> steps{};           ///< of the fit
};

/// Why a method has no times.
struct Refusal {
  Status status;
  std::string reason;
};
/// Makes a result one without times.
void refuse(Result& result, Refusal refusal);
/// Return the refusal of a run over all samples that is predicted to take too long, or took too
/// long.
Refusal too_long(double predicted_seconds, double max_seconds);
Refusal took_too_long(double max_seconds);

/// The machine and the build that produced the results. Missing items are "unknown" or "none".
struct MachineRecord {
  std::string cpu;                ///< model
  int cores = 0;                  ///< available to this process
  double memory = 0;              ///< bytes of host memory
  std::string gpu, driver, cuda;  ///< model, driver version, version that skde was compiled with
  double gpu_memory = 0;          ///< in bytes
  std::string compiler, flags;    ///< of the C++ code
  std::string version, commit;    ///< of skde
};

/// A rate that the machine reached in a loop that does nothing else.
struct Ceiling {
  std::string device;  ///< "cpu" or "cuda"
  std::string name;    ///< "copy", "fma", "coalesced atomics", "random atomics"
  double per_second = 0;
  std::string unit;  ///< "B" or "operations"
};

/// The time of an empty run of this method: one sample on 8^3 cells.
struct Overhead {
  std::string method;
  double seconds = 0;
};

/// Everything that one run of skde-bench measured.
struct RunRecord {
  std::string format = "skde-bench 1";  ///< of its file
  MachineRecord machine;
  std::string date;  ///< start of the run, UTC: "2026-01-31T12:00:00Z"
  std::string command_line;
  bool cancelled = false;  ///< the user cancelled it; these are the results so far
  std::vector<Ceiling> ceilings;
  std::vector<Overhead> overheads;
  std::vector<Result> results;
};

/// Returns the run as JSON text, which parse_results reads.
std::string results_json(const RunRecord& run);
/// Returns one row per result, with a header; repetitions and stages take one column each.
std::string results_csv(const RunRecord& run);

/// Parses the JSON text of a run. Throws Error(input) if a field is missing, unknown or of a wrong
/// type; the error names `file`, the field and what is wrong.
RunRecord parse_results(std::string_view text, const std::string& file);
/// Reads a run from a JSON file. Also throws Error(input) if the file cannot be read.
RunRecord read_results(const std::string& path);

/// Returns "0.31 us", "12.3 us", "1.23 ms": short times with three digits.
std::string duration_text(double seconds);
/// Returns "1e+06", or "2^20" for a power of two from 32 on.
std::string number_of_items(std::uint64_t count);
/// Returns "span" or "span f64"; for files the precision is left out.
std::string method_text(const Result& result);
/// Return a result as a row of the table, and the header row.
std::string result_row(const Result& result);
std::string result_header();
/// The largest share of a device's ceiling that a stage reaches, by bytes or operations, and the
/// name of that ceiling: {"copy", 0.4}. The share is 0 if no ceiling is known.
struct CeilingShare {
  std::string_view ceiling;
  double share = 0;
};
CeilingShare ceiling_share(const StageRecord& stage, std::string_view device,
                           const std::vector<Ceiling>& ceilings);
/// Returns the stages of a result, one per line, with rates and shares of the ceilings.
std::string stage_rows(const Result& result, const std::vector<Ceiling>& ceilings);

}  // namespace skde::bench
