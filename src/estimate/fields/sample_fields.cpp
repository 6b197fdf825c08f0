#include <fmt/core.h>

#include "estimate/fields/field_codecs.hpp"
#include "io/points/columns/coordinate_names.hpp"
#include "io/points/columns/geographic.hpp"
#include "io/points/columns/row_condition.hpp"
#include "io/points/columns/width_columns.hpp"

namespace skde {
namespace {

constexpr std::string_view kNoWidths = "none";

std::string parse_where(const std::string& given) {
  static_cast<void>(io::RowCondition(given));  // throws Error(usage) for an invalid condition
  return given;
}

std::vector<std::string> parse_width_columns(const std::string& given) {
  if (given == kNoWidths) return {};
  std::vector<std::string> names = parse_names(given);
  static_cast<void>(io::width_columns(names));
  return names;
}

/// The units of the resulting coordinates are a field of their own.
DensityField geographic_field() {
  DensityField field = member_field(
      {.name = "geographic",
       .value = "FRAME[:LON:LAT][,WORD...]",
       .help = "converts degrees (WGS84) to km. earth: geocentric; tangent: east, north, up at "
               "LON:LAT, "
               "the origin of `like` or the centre; east-north-depth: same with depths; sky: right "
               "ascension, declination, distance. WORDs: type and unit of the third",
       .by_default = "coordinates are lengths; without a value: earth",
       .words = {"earth", "tangent", "east-north-depth", "sky", "depth", "elevation", "radius", "m",
                 "km"},
       .bare = "earth"},
      [](auto& o) -> auto& { return o.files.columns.geographic; },
      FunctionCodec{io::parse_geographic, io::geographic_text});
  field.print = [](const DensityOptions& o) {
    return io::geographic_text(o.files.columns.geographic);
  };
  field.put = field.print;
  field.set = [](DensityOptions& o, const std::string& given) {
    io::Geographic& geographic = o.files.columns.geographic;
    std::string units = std::move(geographic.units);
    geographic = given.empty() ? io::Geographic{} : io::parse_geographic(given);
    geographic.units = std::move(units);
  };
  field.read = [](DensityOptions& o, io::JsonObject& object, const nlohmann::ordered_json& value) {
    const std::string text = text_of_json(object, value, "geographic");
    o.files.columns.geographic = text.empty() ? io::Geographic{} : io::parse_geographic(text);
  };
  return field;
}

DensityField geographic_units_field() {
  return member_field(
      {.name = "geographic-units", .help = ""},
      [](auto& o) -> auto& { return o.files.columns.geographic.units; },
      PlainCodec{[](const std::string& given) { return given; }});
}

DensityField files_field() {
  return member_field(
      {.name = "files", .help = ""}, [](auto& o) -> auto& { return o.files.paths; },
      PlainCodec{parse_names});
}

}  // namespace

std::vector<std::string> parse_columns(const std::string& given) {
  std::vector<std::string> names = parse_names(given);
  for (const std::string& name : names)
    if (name.empty() || names.size() != 3)
      throw Error(ErrorKind::usage,
                  fmt::format("must be three names or numbers X,Y,Z; got '{}'", given),
                  {"columns", "separate three names or numbers by commas in `columns`"});
  return names;
}

void add_sample_fields(std::vector<DensityField>& table) {
  const auto add = [&](DensityField field, unsigned targets = target::kAll) {
    field.group = "Samples";
    field.targets = targets;
    table.push_back(std::move(field));
  };
  add(files_field(), 0);
  DensityField columns = member_field(
      {.name = "columns",
       .value = "X,Y,Z",
       .help = "names or numbers (from 1) of the coordinate columns",
       .by_default =
           fmt::format("columns of usual names, whatever their case, signs and units: {}; "
                       "the first three numeric columns if none has a name",
                       io::coordinate_name_list())},
      [](auto& o) -> auto& { return o.files.columns.coordinates; }, PlainCodec{parse_columns});
  columns.read = [read = columns.read](DensityOptions& o, io::JsonObject& object,
                                       const nlohmann::ordered_json& value) {
    read(o, object, value);
    if (const std::size_t count = o.files.columns.coordinates.size(); count != 0 && count != 3)
      object.fail("columns", "must be empty or have three names or numbers");
  };
  add(std::move(columns));
  add(member_field(
      {.name = "weights",
       .value = "COLUMN",
       .help = "name or number of the column of weights, each 0 or more unless `signed_weights`",
       .by_default = "every weight is 1"},
      [](auto& o) -> auto& { return o.files.columns.weight; },
      PlainCodec{[](const std::string& given) { return given; }}));
  add(member_field(
          {.name = "signed-weights",
           .help =
               "weights may be below 0: values are those of a signed field, divided by the sum of "
               "the absolute weights (`normalize=count`: not divided); it needs a given "
               "`bandwidth`",
           .runs = run_kind::kWhole},
          [](auto& o) -> auto& { return o.files.columns.signed_weights; }, SwitchCodec{}),
      target::kErrors | target::kPoints);
  add(member_field(
          {.name = "equal-by",
           .value = "COLUMN",
           .help = "gives each group of samples, a value of this column, the same total weight, 1 "
                   "divided by the number of groups; `weights` are shares within a group",
           .by_default = "no groups",
           .runs = run_kind::kWhole},
          [](auto& o) -> auto& { return o.files.columns.equal_by; },
          PlainCodec{[](const std::string& given) { return given; }}),
      target::kErrors | target::kPoints);
  add(member_field(
      {.name = "where",
       .value = "CONDITION",
       .help = "condition on columns that rows must fulfil to be used: \"class in (2, 9) and (z - "
               "ground > 10 or kind != 'noise') and time >= 2020-01-31\"",
       .by_default = "all"},
      [](auto& o) -> auto& { return o.files.columns.where; }, PlainCodec{parse_where}));
  add(geographic_field());
  add(geographic_units_field(), 0);
  add(member_field(
      {.name = "widths",
       .value = "COLUMN,...|auto|splat|mixture|none",
       .help =
           "columns of per-sample bandwidths: 1 length, 3 lengths, or 6 or 9 entries of a "
           "matrix H; auto: the column with a name of smoothing lengths; splat or mixture: those "
           "of Gaussian splats or of a mixture; none: one H for all samples",
       .by_default = "mixture or splat for such files; none for others, and for splats if a flag "
                     "chooses H"},
      [](auto& o) -> auto& { return o.files.columns.widths; }, PlainCodec{parse_width_columns}));
  add(member_field(
      {.name = "width-form",
       .value = "length|factor|deviation|support|fwhm",
       .help = "meaning of 1 or 3 columns of widths: h in H = h^2 I; a factor on the lengths of "
               "the common H (`bandwidth=1` makes that S), of 1 column; or the deviation, the "
               "radius of the support or the full width at half maximum of the kernel",
       .by_default = "2 deviations for SmoothingLengths (SWIFT); support for SmoothingLength, Hsml "
                     "and smoothing_length (Gadget); length for others"},
      [](auto& o) -> auto& { return o.files.columns.width_form; }, WordCodec{io::kWidthForms}));
  add(member_field(
      {.name = "skip",
       .value = "N",
       .help = "lines to skip at the beginning of a text file",
       .by_default = "0"},
      [](auto& o) -> auto& { return o.files.columns.skip; },
      PlainCodec{WholeNumber(0, std::uint64_t{1} << 40)}));
  add(member_field(
      {.name = "nan",
       .value = "drop|error",
       .help = "rows with a NaN or an infinity: drop and count them, or stop with an error",
       .by_default = "drop"},
      [](auto& o) -> auto& { return o.files.non_finite; }, WordCodec{io::kNonFinite}));
}

}  // namespace skde
