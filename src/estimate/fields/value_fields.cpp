#include <fmt/core.h>

#include "estimate/fields/field_codecs.hpp"

namespace skde {
namespace {

using namespace target;

/// Accepts text that fits into one line, as many file formats require.
std::string plain_text(const std::string& given) {
  if (std::ranges::any_of(given, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    throw Error(ErrorKind::usage,
                fmt::format("must not have line breaks or control characters; got '{}'", given),
                {{}, "remove them"});
  return given;
}

DensityField normalize_field(std::string value, std::string help, OneOf<Normalization> parse) {
  return member_field(
      {.name = "normalize",
       .value = std::move(value),
       .help = std::move(help),
       .by_default = "density",
       .runs = ~run_kind::kPart},
      [](auto& o) -> auto& { return o.request.normalization; },
      FunctionCodec{std::move(parse), [](Normalization normalization) {
                      return std::string(word_of(kNormalizations, normalization));
                    }});
}

}  // namespace

void add_value_fields(std::vector<DensityField>& table) {
  const auto add = [&](DensityField field, unsigned targets) {
    field.group = "Values";
    field.targets = targets;
    table.push_back(std::move(field));
  };
  add(normalize_field("density|box|count",
                      "integral 1 over all space, integral 1 over the box, or the sum of weights "
                      "over all space",
                      OneOf<Normalization>(kNormalizations)),
      kGrid);
  add(normalize_field(
          "density|count",
          "integral 1 or the sum of weights, over all space; with `loo` that of the other samples",
          {{"density", Normalization::density}, {"count", Normalization::count}}),
      kPoints);
  add(member_field(
          {.name = "keep-negatives",
           .help = "keeps the small negative values that rounding of transforms leaves, so that "
                   "sums over cells are unbiased; other engines leave none",
           .runs = run_kind::kWhole | run_kind::kCategories},
          [](auto& o) -> auto& { return o.request.keep_negatives; }, SwitchCodec{}),
      kGrid);
  add(member_field(
          {.name = "standard-error",
           .help = "also gives the standard error of each value, from the sum of squared kernels: "
                   "in files a volume `standard_error` beside the density (vti, netcdf)",
           .runs = run_kind::kWhole | run_kind::kCategories},
          [](auto& o) -> auto& { return o.standard_error; }, SwitchCodec{}),
      kErrors);
  add(member_field(
          {.name = "units",
           .value = "NAME",
           .help = "unit of the coordinates, written to the files: m, km, degrees",
           .by_default = "the unit in the columns' names, as in 'x (m)'",
           .runs = ~run_kind::kPart},
          [](auto& o) -> auto& { return o.units; }, PlainCodec{plain_text}),
      kGrid | kMeans);
}

}  // namespace skde
