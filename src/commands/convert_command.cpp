#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.hpp"
#include "cli/options/option_table.hpp"
#include "cli/outputs.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/fit_files.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_input.hpp"
#include "commands/output/volume_output.hpp"
#include "core/report/error.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/points/formats/open_points.hpp"
#include "io/points/mixture_file.hpp"
#include "io/points/splats/splat_formats.hpp"
#include "io/text/text_fields.hpp"
#include "io/volumes/standard_error_field.hpp"
#include "io/volumes/volume_formats.hpp"
#include "order/splat_order.hpp"

namespace skde::cli {
namespace {

/// Splats that were written in another format.
struct SplatConversion {
  std::uint64_t splats = 0;
  int bands = 0;      ///< of harmonics, as written
  std::string order;  ///< a word of kSplatOrders
  std::string kept;   ///< how values are rounded; empty: not at all
  std::vector<Warning> warnings;
};

Warning lost_masses(const std::string& input) {
  return {
      "masses",
      fmt::format("{}: its masses are not written: files of splats have opacities alone", input),
      {{}, "keep it for densities"}};
}

/// Warns that masses of a mixture are not kept.
void warn_of_masses(const std::string& input, std::vector<Warning>& warnings) {
  const io::SplatFormat* const format = io::splat_format_of(input);
  if (input == "-" || format != &io::splat_formats().back()) return;
  const auto reader = io::open_points(input, {});
  if (std::ranges::find(reader->columns().others, io::kMass) == reader->columns().others.end())
    return;
  warnings.push_back(lost_masses(input));
}

/// Writes the mixture of a table as splats, in the usual order of the format.
SplatConversion convert_mixture(const std::string& input, const std::string& output,
                                const std::string& order, Progress& progress) {
  const io::SplatFormat& format = *io::splat_format_of(output);
  const std::string usual(word_of(kSplatOrders, usual_splat_order(format.name)));
  if (!order.empty() && order != usual)
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: the ellipsoids of a table are written in the order '{}'", input, usual),
        {"order", "drop it, or convert the table to .ply first"});
  const io::MixtureFile file = io::read_mixture(input, progress);
  write_fitted(output, file.mixture, file.facts, {}, progress);
  SplatConversion done{.splats = file.mixture.size(),
                       .bands = 0,
                       .order = usual,
                       .kept = std::string(format.quantisation),
                       .warnings = {}};
  if (io::loses_masses(output)) done.warnings.push_back(lost_masses(input));
  return done;
}

/// Warns if a few splats far from all others make the steps of all coordinates in .spz coarse.
void warn_of_far_splats(const io::SplatCloud& splats, std::vector<Warning>& warnings) {
  constexpr double kMuch = 8, kLargest = (1 << 23) - 1;
  constexpr std::size_t kOneIn = 100;
  std::vector<double> reach;
  for (std::size_t k = 0; k + 2 < splats.xyz.size(); k += 3)
    reach.push_back(std::max(
        {std::abs(splats.xyz[k]), std::abs(splats.xyz[k + 1]), std::abs(splats.xyz[k + 2])}));
  if (reach.size() < 2) return;
  const auto farthest = std::ranges::max_element(reach);
  const auto splat = farthest - reach.begin() + 1;
  const double most = *farthest;
  const std::size_t left_out = std::max<std::size_t>(1, reach.size() / kOneIn);
  const auto near = reach.end() - 1 - static_cast<std::ptrdiff_t>(left_out);
  std::ranges::nth_element(reach, near);
  if (!(most > kMuch * *near)) return;
  const auto step = [](double size) { return std::exp2(std::ceil(std::log2(size / kLargest))); };
  warnings.push_back(
      {"far_splats",
       fmt::format("splat {} is {:.3g} from the origin, which makes the steps of all "
                   "coordinates {:.2g}; without the {} farthest they are {:.2g}",
                   splat, most, step(most), left_out, step(*near)),
       {"output", "leave far splats out, or write .ply"}});
}

/// Returns true if a file of this name is written as splats.
bool writes_splats(const std::string& output) { return io::splat_format_of(output) != nullptr; }

/// Reads splats and writes them in the format of the output's extension. `order` is a word of
/// kSplatOrders, or empty for the usual order of the format. Throws what reading, ordering and
/// writing throw; Error(output) if the output is the input or cannot be written.
SplatConversion convert_splats(const std::string& input, const std::string& output,
                               const std::string& order, Progress& progress) {
  const io::SplatFormat& format = io::splat_format_to_write(output);
  require_not_read(output, "-o", std::vector{input});
  require_writable(output, "-o");
  if (!writes_splats(input) && io::are_mixtures({input}, {}, {}))
    return convert_mixture(input, output, order, progress);
  progress.begin("reading " + input, 0, "splats");
  io::SplatCloud splats = io::read_splats(io::BufferedSource(io::open_source(input)));
  SplatOrder chosen = usual_splat_order(format.name);
  for (const auto& [word, meaning] : kSplatOrders)
    if (word == order) chosen = meaning;
  SplatConversion done{.splats = splats.size(),
                       .bands = std::min(splats.bands, format.most_bands),
                       .order = std::string(word_of(kSplatOrders, chosen)),
                       .kept = std::string(format.quantisation),
                       .warnings = {}};
  if (done.bands < splats.bands)
    done.warnings.push_back({"bands",
                             fmt::format("{}: {} of {} bands of harmonics are written: {} holds no "
                                         "more",
                                         output, done.bands, splats.bands, format.name),
                             {"output", "write .ply to keep all"}});
  warn_of_masses(input, done.warnings);
  if (!splats.note.empty())
    done.warnings.push_back({"extensions", fmt::format("{}: {}", input, splats.note), {}});
  if (splats.antialiased && !format.name.starts_with("spz"))
    done.warnings.push_back(
        {"antialiased",
         fmt::format(
             "{}: that the splats were trained antialiased is not written: {} cannot say it",
             output, format.name),
         {"output", "write .spz to keep it"}});
  if (format.name.starts_with("spz")) warn_of_far_splats(splats, done.warnings);
  if (chosen != SplatOrder::given) {
    const std::vector<std::uint32_t> rows = splat_order(splats, chosen, progress);
    splats = splat_rows(splats, rows);
  }
  io::write_splats(output, std::move(splats), progress);
  return done;
}

struct ConvertSettings {
  std::string output, format, field, order;
  bool json = false, quiet = false;
};

std::string parse_order(const std::string& given) {
  return std::string(word_of(kSplatOrders, OneOf<SplatOrder>(kSplatOrders)(given)));
}

OptionTable convert_table(ConvertSettings& settings) {
  OptionTable table("skde convert", "FILE -o OUT [FLAGS]",
                    "Writes a volume file in another format, with the same grid, values and "
                    "metadata, or a file of Gaussian splats as " +
                        io::splat_extensions() +
                        ", which round values to fewer bits. It reads files of other programs "
                        "too.");
  table.group("Input");
  add_field_flag(table, settings.field);
  table.group("Output");
  add_output_flags(table, settings.output, settings.format);
  table.value({.name = "order",
               .value = "given|morton|organised",
               .help = "rows of splats: as they are read, along a Morton curve, or arranged on a "
                       "grid so that neighbours are similar, which takes longest",
               .by_default = "the smaller of the first two: morton for .sog and .spz"},
              settings.order, parse_order);
  add_summary_flags(table, settings.json, settings.quiet);
  table.example("skde convert density.vti -o density.nii.gz", "for medical imaging programs");
  table.example("skde convert trained.ply -o scene.sog", "splats, in a fifteenth of the bytes");
  table.example("skde convert density.nc --format nrrd -o - | program", "to a pipe");
  return table;
}

/// The converted file, and where it was written.
struct Conversion {
  std::string input;
  const io::VolumeFile* volume;   ///< null for splats
  const SplatConversion* splats;  ///< null for a volume
  std::vector<WrittenFile> written;
};

/// A value of the splats; none for a volume.
template <class Value>
std::optional<Value> of_splats(const Conversion& run, Value SplatConversion::*member) {
  return run.splats == nullptr ? std::nullopt : std::optional(run.splats->*member);
}

void add_fields(Fields<Conversion>& add) {
  add.name("conversion", "skde convert FILE -o OUT --json");
  add("inputs", [](auto& run) { return std::vector{run.input}; });
  add("grid", "of a volume", [](auto& run) {
    return run.volume == nullptr ? std::nullopt : std::optional(stored_grid(run.volume->volume));
  });
  add("splats", "number of Gaussian splats",
      [](auto& run) { return of_splats(run, &SplatConversion::splats); });
  add("bands", "of their harmonics, as written",
      [](auto& run) { return of_splats(run, &SplatConversion::bands); });
  add("order", "of their rows: given, morton or organised",
      [](auto& run) { return of_splats(run, &SplatConversion::order); });
  add.lines([](auto& report, auto& run) {
    if (run.volume != nullptr) {
      const Volume& volume = run.volume->volume;
      add_grid(report, volume.grid(), volume.precision(), run.volume->metadata.units);
    } else {
      report.line("splats", fmt::format("{}, {} bands of harmonics, order {}",
                                        format_count(run.splats->splats), run.splats->bands,
                                        run.splats->order));
      report.line("rounding", run.splats->kept);
    }
  });
  add_written(add);
}

/// Warns about the axes: coordinates are written as they were read, but NRRD and NIfTI files of
/// skde always declare the same directions of the axes.
void warn_of_space(const std::string& input, const io::VolumeFile& file,
                   const VolumeOutput& output) {
  constexpr std::string_view kWritten = "right-anterior-superior", kShort = "ras";
  const std::string_view to = output.format().name;
  if (file.space.empty() || file.space == kWritten || io::lower_case(file.space) == kShort) return;
  if (to != "nrrd" && !to.starts_with("nifti")) return;
  print_warning("skde",
                {"space",
                 fmt::format("{}: its axes point {}, but those of the written file point {} with "
                             "the same coordinates; programs that use orientation show it mirrored",
                             input, file.space, kWritten),
                 {{}, "convert it with a program that reorients axes, such as Slicer"}});
}

CommandResult convert(const std::string& input, const ConvertSettings& settings) {
  VolumeOutput output(settings.output, settings.format, {io::volume_path(input).file});
  const io::VolumeFile file = io::read_volume(input);
  for (const Warning& warning : io::field_warnings(input, file)) print_warning("skde", warning);
  if (io::volume_path(input).field.empty() && io::without_standard_errors(file.fields).size() == 1)
    print_warning("skde", {"field",
                           fmt::format("{}: its standard errors are left out", input),
                           {{}, fmt::format("convert {}:{}, too", input, io::kStandardError)}});
  if (!file.placed)
    throw Error(ErrorKind::input,
                fmt::format("{}: does not give the coordinates of its cells", input),
                {{}, "add its coordinates to it"});
  warn_of_space(input, file, output);
  const Grid& grid = file.volume.grid();
  const Precision precision = file.volume.precision();
  TerminalProgress progress(!settings.quiet);
  if (!output.is_standard_output()) output.format().require_room(output.path(), grid, precision);
  output.format().write(output.path(), file.volume, file.metadata, progress);
  const std::vector<WrittenFile> written = output.deliver(progress);
  progress.clear();
  return show_result({settings.json, settings.quiet, output.is_standard_output()},
                     Conversion{input, &file, nullptr, written});
}

CommandResult convert_to_splats(const std::string& input, const ConvertSettings& settings) {
  TerminalProgress progress(!settings.quiet);
  const SplatConversion done = convert_splats(input, settings.output, settings.order, progress);
  progress.clear();
  for (const Warning& warning : done.warnings) print_warning("skde", warning);
  return show_result({settings.json, settings.quiet, false},
                     Conversion{input, nullptr, &done, {written_file("splats", settings.output)}});
}

/// Throws for a flag that the kind of output has no use for.
void check_kind(const ParsedFlags& flags, bool splats) {
  for (const char* const flag : {"field", "format"})
    if (splats && flags.has(flag))
      throw Error(ErrorKind::usage,
                  fmt::format("--{} is of volumes, but the extension of -o is "
                              "that of splats",
                              flag),
                  {flag, "drop it"});
  if (!splats && flags.has("order"))
    throw Error(ErrorKind::usage, "only splats have an order, and the output is a volume",
                {"order", fmt::format("drop it, or write one of {}", io::splat_extensions())});
}

CommandResult run_convert(ConvertSettings& settings, const ParsedFlags& flags, const Invocation&) {
  if (flags.positionals.size() != 1)
    throw Error(ErrorKind::usage,
                fmt::format("expected one file; got {}", flags.positionals.size()));
  if (settings.output.empty())
    throw Error(ErrorKind::usage, "no output is given; name a file with -o FILE");
  const std::string& input = flags.positionals.front();
  check_kind(flags, writes_splats(settings.output));
  if (writes_splats(settings.output)) return convert_to_splats(input, settings);
  return for_each_volume(input, settings.field, {settings.output},
                         [&](const std::string& field, const std::vector<std::string>& outputs) {
                           ConvertSettings own = settings;
                           own.output = outputs[0];
                           return convert(volume_named(input, field), own);
                         });
}

}  // namespace

const Command kConvert =
    command<convert_table, run_convert>("convert", "converts a volume file to another format");

const AnyTable& conversion_document() { return result_table<Conversion>(); }

}  // namespace skde::cli
