#include <fmt/core.h>

#include "core/report/words.hpp"
#include "estimate/fields/field_codecs.hpp"

namespace skde {
namespace {

using namespace target;
using Json = nlohmann::ordered_json;

constexpr std::string_view kWholeCloud = "all";  // bounds that include outliers

void set_bounds(DensityOptions& options, const std::string& given) {
  GridSpec& spec = options.request.grid;
  std::optional<Box> bounds;
  if (!given.empty() && given != kWholeCloud) bounds = parse_bounds(given);
  spec.whole_cloud = given == kWholeCloud;
  spec.bounds = bounds;
}

DensityField bounds_field(std::string form, std::string help, std::string by_default) {
  DensityField field = member_field(
      {.name = "bounds",
       .value = std::move(form),
       .help = std::move(help),
       .by_default = std::move(by_default)},
      [](auto& o) -> auto& { return o.request.grid.bounds; }, PlainCodec{parse_bounds});
  field.set = set_bounds;
  field.print = [print = field.print](const DensityOptions& o) {
    return o.request.grid.whole_cloud ? std::string(kWholeCloud) : print(o);
  };
  field.put = [put = field.put](const DensityOptions& o) {
    return o.request.grid.whole_cloud ? Json(kWholeCloud) : put(o);
  };
  field.read = [](DensityOptions& o, io::JsonObject& object, const Json& value) {
    set_bounds(o, value.is_null() ? "" : text_of_json(object, value, "bounds"));
  };
  return field;
}

/// Rejects cells written as 128x128x128, which is common, and shows the right form.
void require_commas(const std::string& given) {
  std::string mended = given;
  std::ranges::replace_if(
      mended, [](char c) { return c == 'x' || c == 'X' || c == '*' || c == ' ' || c == ';'; }, ',');
  if (mended != given && parse_number_list<std::int64_t>(mended).size() == 3)
    throw Error(ErrorKind::usage, fmt::format("must be NX,NY,NZ; got '{}'", given),
                {{}, fmt::format("separate the numbers by commas: `dims={}`", mended)});
}

/// In JSON always three numbers; {n, 0, 0} means n cells along the longest side.
DensityField dims_field() {
  DensityField field = member_field(
      {.name = "dims",
       .value = "N|NX,NY,NZ",
       .help =
           "cells along the axis that needs the most (cubic cells, unless the kernel reaches more "
           "than 4 times as far along one axis as along another), or cells along each axis",
       .by_default = "128"},
      [](auto& o) -> auto& { return o.request.grid.dims; },
      FunctionCodec{[](const std::string& given) {
                      require_commas(given);
                      return parse_dims(given);
                    },
                    [](const std::optional<std::array<std::int64_t, 3>>& dims) {
                      if (!dims) return std::string();
                      const auto& [x, y, z] = *dims;
                      return y == 0 && z == 0 ? field_text(x) : fmt::format("{},{},{}", x, y, z);
                    }});
  field.put = [](const DensityOptions& o) { return io::to_json(o.request.grid.dims); };
  field.read = [](DensityOptions& o, io::JsonObject& object, const Json& value) {
    if (value.is_array() || value.is_null())
      io::read_optional(object, "dims", o.request.grid.dims, io::dims_from);
    else {
      const std::string text = text_of_json(object, value, "dims");
      require_commas(text);
      o.request.grid.dims = parse_dims(text);
    }
  };
  return field;
}

/// The flag names a file; JSON holds the grid itself.
DensityField like_field() {
  DensityField field = member_field(
      {.name = "like",
       .value = "VOLUME",
       .help = "exact grid of this volume file; `bounds` places one that has no coordinates",
       .names_file = true},
      [](auto& o) -> auto& { return o.like_file; },
      PlainCodec{[](const std::string& given) { return given; }});
  field.put = [](const DensityOptions& o) {
    Json json = io::to_json(o.request.like);
    if (o.request.like && !o.request.like->frame.empty()) json["frame"] = o.request.like->frame;
    return json;
  };
  field.read = [](DensityOptions& o, io::JsonObject& object, const Json&) {
    io::read_optional(object, "like", o.request.like, [](const auto&... given) {
      GridOfVolume like;
      static_cast<Grid&>(like) = io::grid_from(given..., &like.frame);
      return like;
    });
  };
  return field;
}

std::vector<std::string> boundary_words() {
  std::vector<std::string> words;
  for (const auto& [word, boundary] : kBoundaries) words.emplace_back(word);
  return words;
}

DensityField cells_field() {
  return member_field(
      {.name = "cells",
       .value = "centre|mean",
       .help = "what a cell holds: the density at its centre, or its mean over the cell, so that "
               "the cells sum to the mass in the box however coarse they are",
       .by_default = "centre",
       .runs = run_kind::kWhole | run_kind::kCategories},
      [](auto& o) -> auto& { return o.request.cells; }, WordCodec{kCellValues});
}

DensityField boundary_field() {
  return member_field(
      {.name = "boundary",
       .value = "B|BX,BY,BZ",
       .help = "treatment of kernels beyond the faces of the box, along all axes or each: reflect "
               "mirrors them back, periodic wraps them around, renormalize divides each by its "
               "mass inside, linear mirrors them and corrects for the slope",
       .by_default = "none",
       .words = boundary_words()},
      [](auto& o) -> auto& { return o.request.boundaries; },
      FunctionCodec{parse_boundaries, boundaries_text});
}

}  // namespace

void add_grid_fields(std::vector<DensityField>& table) {
  const auto add = [&](DensityField field, unsigned targets, std::string_view group = "Grid") {
    field.group = group;
    field.targets = targets;
    table.push_back(std::move(field));
  };
  add(bounds_field("X0,Y0,Z0:X1,Y1,Z1|all",
                   "outer faces of the box, kept exactly; all: the cloud and its kernels, "
                   "including outliers",
                   "the cloud without outliers, and its kernels"),
      kGrid | kMeans);
  add(dims_field(), kGrid | kMeans);
  add(member_field(
          {.name = "spacing",
           .value = "S|SX,SY,SZ",
           .help = "edge length of a cell in world units, or its three edge lengths",
           .by_default = "from `dims`"},
          [](auto& o) -> auto& { return o.request.grid.spacing; }, PlainCodec{parse_spacing}),
      kGrid | kMeans);
  add(like_field(), kGrid | kMeans);
  add(cells_field(), kGrid);
  add(boundary_field(), kGrid | kMeans);
  add(bounds_field("X0,Y0,Z0:X1,Y1,Z1", "outer faces of the box that `boundary` refers to",
                   "bounds of the cloud"),
      kPoints | kDraws, "Box");
  add(boundary_field(), kPoints | kDraws, "Box");
}

}  // namespace skde
