#include "commands/output/category_report.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/report_parts.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/version.hpp"

namespace skde::cli {

template <>
inline constexpr const auto& kWordsOf<CategoryBandwidth> = kCategoryBandwidths;
template <>
inline constexpr const auto& kWordsOf<CategoryMass> = kCategoryMasses;

namespace {

constexpr std::size_t kMostRows = 40;  // rows of categories, and of files

void add_bandwidth(Report& report, const CategoryRun& run) {
  if (run.spec.bandwidth == CategoryBandwidth::own) {
    report.line("bandwidth", "one per category");
    return;
  }
  const Bandwidth& bandwidth = run.densities->bandwidth;
  report.line("bandwidth",
              fmt::format("that of all samples{} ({})",
                          bandwidth.h > 0 ? fmt::format(", h = {}", format_value(bandwidth.h)) : "",
                          bandwidth.source));
  add_matrix(report, "H", bandwidth.H);
}

void add_categories(Report& report, const CategoryRun& run) {
  const auto& categories = run.densities->categories;
  std::vector<std::vector<std::string>> rows{
      {"category", "samples", "share", "mass in box", "peak"}};
  for (std::size_t i = 0; i < std::min(categories.size(), kMostRows); ++i) {
    const CategoryFacts& category = categories[i];
    rows.push_back({printable(category.name), format_count(category.facts.counts.samples()),
                    format_share(category.share), format_share(category.facts.mass_in_box),
                    format_value(category.facts.peak)});
  }
  if (categories.size() > kMostRows)
    rows.push_back({fmt::format("and {} more", categories.size() - kMostRows)});
  report.table("densities", rows);
  for (const LeftOutCategory& category : run.densities->left_out)
    report.line("left out",
                fmt::format("{} ({} rows): {}", category.name, category.rows, category.why));
}

void add_grid_lines(Report& report, const CategoryRun& run) {
  add_grid(report, run.densities->grid, run.densities->precision, run.units);
  if (run.spec.mass == CategoryMass::share)
    report.line("values", "densities times the categories' shares of the total weight");
}

std::string time_text(const CategoryRun& run) {
  return fmt::format("{}, at most {} of memory", format_duration(run.seconds),
                     format_bytes(static_cast<double>(run.peak_memory)));
}

void add_files(Report& report, const CategoryRun& run) {
  const std::vector<WrittenFile>& written = run.written;
  add_written(report, {written.begin(), written.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                              written.size(), kMostRows))});
  double bytes = 0;
  for (const WrittenFile& file : written) bytes += static_cast<double>(file.bytes);
  if (written.size() > 1)
    report.line("files", fmt::format("{}, {}", written.size(), format_bytes(bytes)));
}

}  // namespace

void add_fields(Fields<CategoryFacts>& add) {
  add.name("category");
  add("name", &CategoryFacts::name);
  add("samples", [](auto& category) { return category.facts.counts.samples(); });
  add("total_weight", [](auto& category) { return category.facts.moments.total_weight(); });
  add("share", "share of the total weight", &CategoryFacts::share);
  add("bandwidth", [](auto& category) { return category.facts.bandwidth; });
  add("mass_in_box", [](auto& category) { return category.facts.mass_in_box; });
  add("error_bound", [](auto& category) { return category.facts.error_bound; });
  add("peak", [](auto& category) { return category.facts.peak; });
  add("engine", [](auto& category) { return category.facts.engine; });
}

void add_fields(Fields<LeftOutCategory>& add) {
  add("name", &LeftOutCategory::name);
  add("rows", &LeftOutCategory::rows);
  add("reason", &LeftOutCategory::why);
}

void add_fields(Fields<CategoryRun>& add) {
  add.name("categories", "skde density --by COLUMN --json");
  add("version", [](auto&) { return kVersion; });
  add("inputs", &CategoryRun::inputs);
  add("samples", [](auto& run) { return run.densities->counts; });
  add.line("samples", [](auto& run) { return counts_text(run.densities->counts); });
  add("columns", [](auto& run) { return run.densities->columns; });
  add.line("columns", [](auto& run) { return columns_text(run.densities->columns, run.units); });
  add("cloud", [](auto& run) { return run.densities->moments; });
  add("kernel", [](auto& run) { return run.densities->kernel; });
  add.line("kernel",
           [](auto& run) { return kernel_text(run.densities->kernel, run.densities->columns); });
  add("by_bandwidth", [](auto& run) { return run.spec.bandwidth; });
  add.lines(add_bandwidth);
  add("by_normalize", [](auto& run) { return run.spec.mass; });
  add("units", [](auto& run) { return known(run.units); });
  add("grid", [](auto& run) { return StoredGrid{run.densities->grid, run.densities->precision}; });
  add.lines(add_grid_lines);
  add("categories", [](auto& run) { return run.densities->categories; });
  add.lines(add_categories);
  add("left_out", [](auto& run) { return run.densities->left_out; });
  add("seconds", &CategoryRun::seconds);
  add.line("time", time_text);
  add("peak_memory", &CategoryRun::peak_memory);
  add("warnings", [](auto& run) { return run.densities->warnings; });
  add("written", &CategoryRun::written);
  add.lines(add_files);
}

}  // namespace skde::cli
