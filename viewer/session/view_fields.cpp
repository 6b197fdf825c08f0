#include "viewer/session/view_fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "cli/options/option_table.hpp"
#include "core/report/words.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/text/text_fields.hpp"
#include "io/volumes/volume_formats.hpp"
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
    add_density_rows(rows);
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

std::string ViewField::explanation() const {
  std::string marks = text.name.empty() ? "" : "--" + text.name;
  for (const char letter : letters)
    marks += fmt::format("{}{:c}", marks.empty() ? "" : ", ", std::toupper(letter));
  return marks.empty() ? widget.tip : fmt::format("{} ({})", widget.tip, marks);
}

std::vector<const ViewField*> controls_of(Tab tab, bool ahead) {
  std::vector<const ViewField*> controls;
  for (const ViewField& field : view_fields())
    if (field.is_control() && field.tab == tab && field.ahead == ahead) controls.push_back(&field);
  return controls;
}

std::vector<const ViewField*> find_controls(std::string_view text) {
  const std::string wanted =
      io::lower_case(text.substr(std::min(text.find_first_not_of('-'), text.size())));
  std::vector<const ViewField*> found;
  for (const ViewField& field : view_fields()) {
    if (!field.is_control()) continue;
    const std::string words = fmt::format("{} {} {}", field.title(), field.text.name, field.known);
    if (io::lower_case(words).find(wanted) != Key::npos) found.push_back(&field);
  }
  std::ranges::stable_sort(found, {}, [&](const ViewField* field) {
    const std::string title = io::lower_case(field->title());
    return title == wanted ? 0 : title.starts_with(wanted) ? 1 : 2;
  });
  return found;
}

namespace {

/// Copies the fields that mean nothing for other samples.
void take_of_cloud(const ViewState& from, ViewState& state) {
  for (const ViewField* const field : state_fields())
    if (field->of_cloud) field->copy(from, state);
}

}  // namespace

void forget_cloud(ViewState& state) {
  state.cloud.paths.clear();
  // The kernel of splats and of mixtures belongs to them and to no other cloud.
  if (io::are_gaussians(state.cloud.columns.widths) &&
      state.density.kernel == KernelFunction::gaussian)
    state.density.kernel = {};
  state.cloud.columns = {};
  state.units.clear();
  DensityRequest& density = state.density;
  density.like.reset();
  density.grid.bounds.reset();
  density.grid.whole_cloud = false;
  density.grid.spacing.reset();
  BandwidthSpec& spec = density.bandwidth;
  const bool relative = std::holds_alternative<BandwidthRule>(spec.bandwidth) ||
                        (std::holds_alternative<double>(spec.bandwidth) &&
                         spec.form != CovarianceForm::iso && !spec.covariance);
  if (!relative) spec.bandwidth = BandwidthRule::automatic;
  spec.covariance.reset();
  take_of_cloud(ViewState(), state);
  state.compare.with.clear();
  state.time = {};
  state.within.clear();
}

void take_places(const ViewState& from, ViewState& state) {
  state.units = from.units;
  state.transfer.axis = from.transfer.axis;
  take_of_cloud(from, state);
}

void adopt_look(const ViewState& other, ViewState& state) {
  ViewState look = other;
  take_request(state, look);
  take_places(state, look);
  look.compare = state.compare;
  if (state.transfer.axis.logarithmic != other.transfer.axis.logarithmic)
    look.transfer.axis = axis_up_to(state.transfer.axis.high, other.transfer.axis.logarithmic);
  look.appearance = state.appearance;
  look.appearance.theme = other.appearance.theme;
  look.appearance.format = other.appearance.format;
  look.camera = state.camera;
  look.proportions = state.proportions;
  look.axis_factors = state.axis_factors;
  look.flipped = state.flipped;
  if (!io::first_volume(state.cloud.paths, state.cloud.open).empty()) look.layout = state.layout;
  state = std::move(look);
}

}  // namespace skde::view
