#include "commands/output/plane_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <span>
#include <utility>

#include "cli/exit_code.hpp"
#include "cli/outputs.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/output/picture_flags.hpp"
#include "commands/output/summary_documents.hpp"
#include "io/text/text_fields.hpp"
#include "pictures/picture_captions.hpp"
#include "pictures/plane_picture.hpp"

namespace skde::cli {
namespace {

std::string extension_of(const std::string& path) {
  return io::lower_case(std::filesystem::path(path).extension().string());
}

constexpr std::string_view kQuantityPlace = "{}";

bool is_file_each(const std::string& output) { return output.find(kQuantityPlace) != output.npos; }

/// Returns the path of the file of a quantity.
std::string path_of(std::string output, const std::string& quantity) {
  if (is_file_each(output))
    output.replace(output.find(kQuantityPlace), kQuantityPlace.size(), quantity);
  return output;
}

void check_place(const std::string& path, const std::string& input) {
  require_not_read(path, "-o", std::vector{input});
  require_writable(path, "-o");
}

}  // namespace

void add_axis_flag(OptionTable& table, const std::string& meaning, PlaneOptions& options) {
  table.value({.name = "axis",
               .value = "x|y|z|NAME",
               .help = meaning + "; NAME is that of the file's axis, such as depth",
               .by_default = "z",
               .words = {"x", "y", "z"}},
              options.axis_word);
}

void add_plane_output(OptionTable& table, PlaneOptions& options) {
  add_field_flag(table, options.field);
  table.group("Output");
  table.value(
      {.name = "output",
       .value = "FILE",
       .help =
           "a picture with axes and a colour bar (.png, .svg, .pdf), an array with a description "
           "beside it (.npy), or a table with coordinates (.csv)",
       .letter = 'o',
       .names_file = true},
      options.output);
  add_look_flags(table, options.look);
  add_summary_flags(table, options.json, options.quiet);
}

void check_plane_output(const ParsedFlags& flags, const PlaneOptions& options,
                        const std::string& input, const std::vector<std::string>& quantities) {
  if (options.output.empty())
    throw Error(ErrorKind::usage, "no output is given; name a picture or an array with -o FILE");
  const std::string extension = extension_of(options.output);
  const bool is_picture = is_picture_name(options.output);
  if (!is_picture && extension != ".npy" && extension != ".csv")
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: planes can be written as .png, .svg, .pdf, .npy or .csv", options.output),
        {"output", "use one of these extensions"});
  if (!is_picture)
    require_no_look(flags, "on tables and arrays");
  else
    require_picture(options.output);
  if (!options.look.masses.empty() && std::ranges::count(quantities, "integral") > 0)
    throw Error(ErrorKind::usage, "integrals along lines have no regions of mass",
                {"mass_lines", "leave out `mass_lines`, or use `of=maximum`"});
  if (is_picture && quantities.size() > 1 && !is_file_each(options.output))
    throw Error(ErrorKind::usage,
                fmt::format("{}: a picture has one colour scale, but these quantities are {}",
                            options.output, fmt::join(quantities, " and ")),
                {"output", "name one picture each, with {} for the quantity"});
  for (const std::string& quantity : quantities) {
    const std::string path = path_of(options.output, quantity);
    check_place(path, input);
    if (extension == ".npy") check_place(path + ".json", input);
  }
}

namespace {

/// Writes the quantities that share a file.
std::vector<WrittenFile> write_planes(const std::string& path, const PlaneOptions& options,
                                      const VolumeInput& input, std::span<PlaneFile> files,
                                      Progress& progress) {
  const std::string extension = extension_of(path);
  progress.throw_if_cancelled();
  std::vector<io::PlaneSet> sets;
  for (PlaneFile& file : files) sets.push_back(std::move(file.set));
  if (extension == ".csv") {
    io::write_plane_csv(path, sets, input.grid(), progress);
    return {written_file("table", path)};
  }
  if (extension == ".npy") {
    io::write_plane_npy(path, sets, input.grid());
    return {written_file("array", path), written_file("description", path + ".json")};
  }
  io::PlaneSet& set = sets.front();
  PlaneSheet sheet{std::move(files.front().title), std::move(files.front().captions),
                   std::move(set.planes), set.quantity, set.unit};
  sheet.marks.lines = about_volume(
      input, [&] { return mass_lines(options.look, input.file.volume, input.file.metadata); });
  const std::string lacked =
      write_plane_picture(path, sheet, input.grid(), input.file.metadata, options.look);
  return {written_picture(path, lacked, progress)};
}

/// Facts about one quantity, for output.
struct PlaneFacts {
  std::string quantity, unit;
  double peak = -std::numeric_limits<double>::infinity();
};

PlaneFacts facts_of(const io::PlaneSet& set) {
  PlaneFacts facts{set.quantity, set.unit};
  for (const Projection& plane : set.planes)
    for (const double value : plane.values) facts.peak = std::max(facts.peak, value);  // skips nan
  return facts;
}

/// Facts about all quantities, for output.
struct PlaneRun {
  const VolumeInput* input = nullptr;
  std::size_t planes = 0;
  std::int64_t width = 0, height = 0;
  int axis = 2;
  std::vector<double> at;
  std::vector<PlaneFacts> facts;
  std::vector<WrittenFile> written;
};

PlaneRun facts_of(const VolumeInput& input, std::span<const PlaneFile> files) {
  const io::PlaneSet& set = files.front().set;
  const Projection& first = set.planes.front();
  PlaneRun run{&input, set.planes.size(), first.width, first.height, set.axis, set.at, {}, {}};
  for (const PlaneFile& file : files) run.facts.push_back(facts_of(file.set));
  return run;
}

std::string planes_text(const PlaneRun& run) {
  return fmt::format("{} across {}, of {} x {} cells", run.planes,
                     axis_name(run.input->file.metadata, static_cast<std::size_t>(run.axis)),
                     run.width, run.height);
}

void add_quantities(Report& report, const PlaneRun& run) {
  for (const PlaneFacts& facts : run.facts)
    report.line("values",
                fmt::format("{}{}{}, up to {}", facts.quantity, facts.unit.empty() ? "" : " ",
                            facts.unit, format_value(facts.peak)));
}

constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};
constexpr std::string_view kPeakMeaning = "null if no value is a number";

}  // namespace

void add_fields(Fields<PlaneFacts>& add) {
  add.name("quantity");
  add("quantity", &PlaneFacts::quantity);
  add("unit", "of the values", &PlaneFacts::unit);
  add("peak", kPeakMeaning, [](auto& facts) { return finite(facts.peak); });
}

namespace {

/// Adds the fields of slices and projections that precede the places of slices.
void add_planes(Fields<PlaneRun>& add) {
  add("inputs", [](auto& run) { return std::vector{run.input->path}; });
  add("grid", [](auto& run) { return stored_grid(run.input->file.volume); });
  add("units", [](auto& run) { return known(run.input->units()); });
  add("axis", [](auto& run) { return OneAmong<kAxes>{kAxes[static_cast<std::size_t>(run.axis)]}; });
  add.line("planes", planes_text);
  add("quantity", [](auto& run) { return run.facts.front().quantity; });
  add.lines(add_quantities);
  add("unit", "of the values", [](auto& run) { return run.facts.front().unit; });
  add("peak", kPeakMeaning, [](auto& run) { return finite(run.facts.front().peak); });
  add("quantities", "the first of them is also quantity, unit and peak", &PlaneRun::facts);
}

}  // namespace

const AnyTable& projection_document() {
  static const AnyTable table = table_of<PlaneRun>([](auto& add) {
    add.name("projection", "skde project VOLUME --json");
    add_planes(add);
    add_written(add);
  });
  return table;
}

const AnyTable& slices_document() {
  static const AnyTable table = table_of<PlaneRun>([](auto& add) {
    add.name("slices", "skde slice VOLUME --json");
    add_planes(add);
    add("at", "positions along the axis", &PlaneRun::at);
    add_written(add);
  });
  return table;
}

CommandResult deliver_planes(std::string_view kind, const PlaneOptions& options,
                             const VolumeInput& input, std::vector<PlaneFile> files,
                             TerminalProgress& progress) {
  PlaneRun run = facts_of(input, files);
  const bool apart = is_file_each(options.output);
  const std::span all(files);
  for (std::size_t i = 0; i < files.size(); i += apart ? 1 : files.size()) {
    const std::string path = path_of(options.output, files[i].set.quantity);
    for (WrittenFile& file :
         write_planes(path, options, input, apart ? all.subspan(i, 1) : all, progress))
      run.written.push_back(std::move(file));
  }
  progress.clear();
  for (const Warning& warning : input.warnings) print_warning("skde", warning);
  const AnyTable& table = kind == "slices" ? slices_document() : projection_document();
  return {{options.json, options.quiet}, document_json(table, &run), report_text(table, &run)};
}

}  // namespace skde::cli
