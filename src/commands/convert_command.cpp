#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli/exit_code.hpp"
#include "cli/number_format.hpp"
#include "cli/options/option_table.hpp"
#include "cli/report.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/standard_output.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/commands.hpp"
#include "commands/output/named_volumes.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_output.hpp"
#include "commands/splat_conversion.hpp"
#include "io/json_object.hpp"
#include "io/points/splats/splat_formats.hpp"
#include "io/text_fields.hpp"
#include "io/volumes/volume_formats.hpp"
#include "order/splat_order.hpp"

namespace skde::cli {
namespace {

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

}  // namespace

const AnyTable& conversion_document() { return result_table<Conversion>(); }

CommandResult run_convert(const Invocation& invocation) {
  ConvertSettings settings;
  const OptionTable table = convert_table(settings);
  const ParsedFlags flags = table.parse(invocation.arguments);
  if (flags.help_wanted) return help_page(table, flags);
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

}  // namespace skde::cli
