#include "commands/category_run.hpp"

#include <fmt/core.h>

#include "cli/exit_code.hpp"
#include "cli/results/result_table.hpp"
#include "cli/standard_output.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/output/category_report.hpp"
#include "core/version.hpp"
#include "estimate/read/input_error.hpp"
#include "io/text/json_object.hpp"
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

}  // namespace skde::cli
