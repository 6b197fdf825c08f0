#include "commands/window_run.hpp"

#include <fmt/core.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cli/cancellation.hpp"
#include "cli/exit_code.hpp"
#include "cli/output_path.hpp"
#include "cli/results/result_table.hpp"
#include "cli/standard_output.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/number_format.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/output/plan_report.hpp"
#include "core/version.hpp"
#include "estimate/read/input_error.hpp"
#include "estimate/stream/followed_stream.hpp"
#include "io/points/partial_cloud_json.hpp"
#include "io/volumes/volume_formats.hpp"

namespace skde::cli {
namespace {

/// The parts of "live_%06d.vti": the text before and after the number, and its width.
struct NumberedPath {
  std::string before, behind;
  std::size_t width = 0;

  explicit NumberedPath(const std::string& given) {
    const std::size_t percent = given.find('%'), end = given.find('d', percent);
    const std::string_view digits =
        end == given.npos ? std::string_view()
                          : std::string_view(given).substr(percent + 1, end - percent - 1);
    const bool plain = digits.find_first_not_of("0123456789") == digits.npos &&
                       digits.size() <= 2 && (digits.empty() || digits[0] == '0');
    if (end == given.npos || !plain || given.find('%', end) != given.npos)
      throw Error(ErrorKind::usage,
                  fmt::format("-o must contain one placeholder for the number of the volume, such "
                              "as %06d in live_%06d.vti; got '{}'",
                              given));
    before = given.substr(0, percent);
    behind = given.substr(end + 1);
    width = digits.size() < 2 ? 0 : static_cast<std::size_t>(digits[1] - '0');
  }
  std::string of(std::uint64_t number) const {
    return fmt::format("{}{:0{}}{}", before, number, width, behind);
  }
};

}  // namespace

void add_window_options(OptionTable& table, WindowOptions& options) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  table.group("Streams");
  table.value({.name = "window",
               .value = "N",
               .help = "follows an endless stream: the density of its last N samples, updated "
                       "exactly as samples come and leave; -o live_%06d.vti numbers the volumes",
               .local = true},
              options.window, WholeNumber(1, kMost));
  table.value({.name = "every",
               .value = "N",
               .help = "writes a volume after every N samples of the stream, and at its end",
               .by_default = "the size of --window",
               .local = true},
              options.every, WholeNumber(1, kMost));
}

bool is_window_run(const ParsedFlags& flags) {
  if (!flags.has("window")) {
    if (flags.has("every"))
      throw Error(ErrorKind::usage, "--every has no effect without --window N; drop it");
    return false;
  }
  const bool plans = flags.has("plan");
  constexpr std::string_view kWhy = "cannot be used with --window";
  flags.require_applying(run_kind::kWindow, kWhy);
  if (flags.has("json") && !plans) usage_error(fmt::format("--json {}; drop it", kWhy));
  if (!flags.has("output") && !plans)
    throw Error(ErrorKind::usage, "no output is given; name volumes with -o live_%06d.vti");
  return true;
}

namespace {

/// Writes every density of the stream to a numbered file.
class NumberedVolumes final : public StreamListener {
 public:
  NumberedVolumes(const WindowRun& run, const io::VolumeFormat& format, TerminalProgress& progress)
      : run_(run), path_(run.output), format_(format), progress_(progress) {
    require_writable(path_.of(1), "-o");
  }

  void use(MergedDensity merged) override {
    merged.metadata.command_line = run_.command_line;
    merged.metadata.version = kVersion;
    if (!run_.density->units.empty()) merged.metadata.units = run_.density->units;
    const std::string file = path_.of(++number_);
    format_.write(file, merged.volume, merged.metadata, progress_);
    progress_.clear();
    for (const Warning& warning : merged.warnings)
      if (warned_of_.insert(warning.kind).second) print_warning("skde", warning);
    if (run_.form.quiet) return;
    print(fmt::format("{}: {} samples, peak {}\n", printable(file),
                      format_count(merged.metadata.samples), format_value(merged.peak)));
  }
  /// While this waits for the stream, no unfinished file exists that a signal could leave behind.
  void waiting(bool waits) override {
    if (waits)
      waits_.emplace();
    else
      waits_.reset();
  }

 private:
  const WindowRun& run_;
  NumberedPath path_;
  const io::VolumeFormat& format_;
  TerminalProgress& progress_;
  std::uint64_t number_ = 0;
  std::set<std::string> warned_of_;  // each kind once for all volumes
  std::optional<CancelAtOnce> waits_;
};

}  // namespace

CommandResult run_window(const WindowRun& run) {
  const DensityOptions& density = *run.density;
  WindowSpec spec{run.window.window, run.window.every ? run.window.every : run.window.window, {}};
  if (!run.moments_file.empty())
    spec.moments = io::read_moments_file(run.moments_file, density.files.open);
  try {
    if (run.plans) {
      const SumsRequest asked{density.request, {}, spec.moments, density.memory_limit, spec.window};
      const SumsPlan plan = plan_sums(density.files, asked);
      return show_result(run.form, PlanShown{plan, density.files.paths, &plan});
    }
    const io::VolumeFormat& format = io::volume_format_for(run.output, run.format);
    if (!format.unavailable.empty())
      throw Error(ErrorKind::unsupported,
                  fmt::format("{}: this build cannot write {}", run.output, format.name),
                  {{}, std::string(format.unavailable)});
    TerminalProgress progress(!run.form.quiet);
    NumberedVolumes volumes(run, format, progress);
    follow_stream(density.files, density.request, spec, density.memory_limit, volumes, progress);
  } catch (const Error& error) {
    throw naming_inputs(error, density.files.paths);
  }
  return {.form = {.quiet = true}};
}

}  // namespace skde::cli
