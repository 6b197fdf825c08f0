#include "commands/density_runs.hpp"

#include <fmt/core.h>

#include <optional>
#include <set>
#include <string_view>

#include "cli/cancellation.hpp"
#include "cli/exit_code.hpp"
#include "cli/outputs.hpp"
#include "cli/results/result_table.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/output/category_report.hpp"
#include "commands/output/plan_report.hpp"
#include "core/version.hpp"
#include "estimate/read/input_error.hpp"
#include "estimate/stream/followed_stream.hpp"
#include "io/points/partial_sums_file.hpp"
#include "io/volumes/volume_formats.hpp"
#include "system/host_memory.hpp"
#include "system/stop_watch.hpp"

namespace skde::cli {
namespace {

FileNotes notes_of(const CategoryRequest& request) {
  return {.units = request.density->units,
          .command_line = request.command_line,
          .version = kVersion,
          .standard_error = request.spec.standard_error};
}

/// Estimates the densities, writes them to files of this kind, and records what was written.
template <class Files>
CategoryDensities estimate(const CategoryRequest& request, Files files, Progress& progress,
                           std::vector<WrittenFile>& written) {
  const DensityOptions& density = *request.density;
  CategorisedCloud cloud = read_categories(density.files, density.memory_limit, progress);
  try {
    CategoryPicture picture(files, request.picture, notes_of(request), request.spec);
    CategoryDensities found = stream_categories(std::move(cloud), density.request, request.spec,
                                                density.memory_limit, picture, progress);
    written = files.written();
    for (const WrittenFile& file : picture.written()) written.push_back(file);
    return found;
  } catch (const Error& error) {
    throw naming_inputs(error, density.files.paths);
  }
}

}  // namespace

void add_category_options(OptionTable& table, CloudFiles& files, CategorySpec& spec) {
  constexpr std::uint64_t kMost = 1000000;
  table.group("Categories");
  table.value({.name = "by",
               .value = "COLUMN",
               .help = "name or number of a column of categories (texts or numbers); writes one "
                       "volume per category, all on one grid: one file each if -o contains {} for "
                       "the category, or one VTI or NetCDF file",
               .local = true,
               .runs = run_kind::kCategories},
              files.columns.category);
  table.value({.name = "by-bandwidth",
               .value = "shared|own",
               .help = "one bandwidth from all samples for every category, or one per category",
               .by_default = "shared",
               .local = true},
              spec.bandwidth, OneOf<CategoryBandwidth>(kCategoryBandwidths));
  table.value({.name = "by-normalize",
               .value = "each|share",
               .help = "each: --normalize for every category; share: densities that, with one "
                       "bandwidth, sum to that of all samples",
               .by_default = "each",
               .local = true},
              spec.mass, OneOf<CategoryMass>(kCategoryMasses));
  table.value({.name = "max-categories",
               .value = "N",
               .help = "limit on the number of categories; more are an error",
               .by_default = "256",
               .local = true},
              files.columns.most_categories, WholeNumber<std::size_t>(1, kMost));
}

void check_category_options(const ParsedFlags& flags) {
  if (!flags.has("by")) {
    for (const std::string_view name : {"by-bandwidth", "by-normalize", "max-categories"})
      if (flags.has(name))
        throw Error(ErrorKind::usage,
                    fmt::format("--{} has no effect without --by COLUMN; drop it", name));
    return;
  }
  flags.require_applying(run_kind::kCategories, "cannot be used with --by");
}

CommandResult run_categories(const CategoryRequest& request) {
  const StopWatch watch;
  const DensityOptions& density = *request.density;
  TerminalProgress progress(!request.quiet);
  const FileNotes notes = notes_of(request);
  CategoryRun run;
  const CategoryDensities found =
      request.output.is_file_each()
          ? estimate(request, CategoryFiles(request.output, notes), progress, run.written)
          : estimate(request, CategoryFields(request.output, notes, request.spec), progress,
                     run.written);
  progress.clear();
  for (const Warning& warning : found.warnings) print_warning("skde", warning);
  run.inputs = density.files.paths;
  run.densities = &found;
  run.spec = request.spec;
  run.units = density.units.empty() ? found.columns.units() : density.units;
  run.seconds = watch.seconds();
  run.peak_memory = peak_memory();
  return show_result({request.json, request.quiet}, run);
}

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
