#include "viewer/session/view_fields.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/report/number_list.hpp"
#include "viewer/session/view_rows.hpp"

namespace skde::view {
namespace {

/// The order of the keys of state files. Keys that are not here come behind.
constexpr Key kFileOrder =
    " transfer axis_follows_density mode shading isovalue masses quality layout division "
    "appearance "
    "camera proportions axis_factors flipped points slices full_slices sample slice method "
    "ellipsoids ellipsoid probe clip sections/shown sections/at sections/smooth sections "
    "point_look "
    "selection within pins score time compare ";

std::size_t place_in_file(const ViewField* field) {
  const auto place = [](Key key) { return kFileOrder.find(fmt::format(" {} ", key)); };
  const std::size_t own = place(field->key);
  return own != Key::npos ? own : place(field->key.substr(0, field->key.find('/')));
}

}  // namespace

void must_be(std::string_view form, const std::string& given) {
  cli::usage_error(fmt::format("must be {}; got '{}'", form, given));
}

std::vector<double> parse_numbers(const std::string& given, std::size_t count,
                                  std::string_view form) {
  std::vector<double> numbers = parse_finite_list(given, count);
  if (numbers.empty()) must_be(form, given);
  return numbers;
}

double NumberWithin::operator()(const std::string& given) const {
  const double number = RealNumber(0)(given);
  if (!(number >= least && number <= most))
    must_be(fmt::format("from {:g} to {:g}", least, most), given);
  return number;
}

std::span<const ViewField> view_fields() {
  static const std::vector<ViewField> kFields = [] {
    std::vector<ViewField> fields;
    ViewRows rows(fields);
    add_method_rows(rows);
    add_shown_rows(rows);
    add_look_rows(rows);
    add_picture_rows(rows);
    return fields;
  }();
  return kFields;
}

const ViewField& view_field(std::string_view key) {
  return *std::ranges::find(view_fields(), key, &ViewField::key);
}

std::span<const ViewField* const> state_fields() {
  static const std::vector<const ViewField*> kFields = [] {
    std::vector<const ViewField*> fields;
    for (const ViewField& field : view_fields())
      if (!field.key.empty()) fields.push_back(&field);
    std::ranges::stable_sort(fields, {}, place_in_file);
    return fields;
  }();
  return kFields;
}

}  // namespace skde::view
