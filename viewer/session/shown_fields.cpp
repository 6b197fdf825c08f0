#include <fmt/core.h>

#include <algorithm>

#include "core/report/words.hpp"
#include "io/points/columns/row_condition.hpp"
#include "viewer/session/column_choice.hpp"
#include "viewer/session/view_rows.hpp"

namespace skde::view {
namespace {

constexpr FlagNeed kSections{[](const ViewOptions& o) {
                               return !o.headless() || o.state.layout == ViewLayout::slices ||
                                      o.state.sections.shown != SectionsShown::off;
                             },
                             "without --slice-planes or --view slices"};

bool is_picture(const ViewOptions& o) { return o.headless(); }

/// Takes what colours or sizes tell: a word, or the name of a column.
void take_told(const std::string& given, PointColors& told, std::string& column) {
  const auto* const word =
      std::ranges::find(kPointColors, given, &std::pair<std::string_view, PointColors>::first);
  column.clear();
  told = PointColors::column;
  if (word != kPointColors.end() && word->second != PointColors::column)
    told = word->second;
  else
    column = given;
}

std::string parse_condition(const std::string& given) {
  try {
    if (!given.empty()) io::RowCondition{given};  // says what is wrong with it
  } catch (const Error& error) {
    throw error.renaming("where", "points_where");
  }
  return given;
}

std::array<double, 2> parse_pixel(const std::string& given) {
  constexpr const char* kForm = "X,Y: pixels from the upper left corner";
  const std::vector<double> v = parse_numbers(given, 2, kForm);
  if (v[0] < 0 || v[1] < 0) must_be(kForm, given);
  return {v[0], v[1]};
}

/// Returns the corners of "X,Y:X,Y:..."; two are those of a box.
std::vector<std::array<double, 2>> parse_outline(const std::string& given) {
  constexpr const char* kForm =
      "X,Y:X,Y for a box, or three or more places for an outline, in pixels from the upper left "
      "corner";
  std::vector<std::array<double, 2>> corners;
  for (std::size_t begin = 0, end = 0; end != given.npos; begin = end + 1) {
    end = given.find(':', begin);
    const std::vector<double> v = parse_finite_list(given.substr(begin, end - begin), 2);
    if (v.empty()) must_be(kForm, given);
    corners.push_back({v[0], v[1]});
  }
  if (corners.size() < 2) must_be(kForm, given);
  if (corners.size() > 2) return corners;
  const auto [ax, ay] = corners[0];
  const auto [bx, by] = corners[1];
  return {{ax, ay}, {bx, ay}, {bx, by}, {ax, by}};
}

double parse_finite(const std::string& given) { return parse_numbers(given, 1, "a number")[0]; }

double parse_length(const std::string& given) {
  const double length = parse_finite(given);
  if (length < 0) must_be("at least 0", given);
  return length;
}

OutlinedPlaces outline_from(const io::JsonObject& object, const Json& value, Key key) {
  io::JsonObject given = object.object(value, key);
  given.require({"to_picture", "outline"});
  OutlinedPlaces places;
  const std::vector<double> rows = given.numbers(*given.find("to_picture"), "to_picture", 12);
  std::ranges::copy(rows, places.to_picture.begin());
  const Json& corners = *given.find("outline");
  if (!corners.is_array() || corners.size() < 3)
    given.fail("outline", "must have 3 or more places");
  for (const Json& corner : corners) {
    const std::vector<double> v = given.numbers(corner, "outline", 2);
    places.outline.push_back({v[0], v[1]});
  }
  given.finish();
  return places;
}

/// Adds the word and the column that tell colours or sizes, as files hold them.
void add_told(ViewRows& rows, Key word, PointColors PointLook::*told, Key key,
              std::string PointLook::*column) {
  rows.kept_word(word, at(&ViewState::point_look, told), kPointColors).of_one_cloud();
  rows.kept(key, at(&ViewState::point_look, column)).of_one_cloud().read =
      [=](ViewState& state, io::JsonObject& object, Key last) {
        PointLook& look = state.point_look;
        object.read(last, look.*column);
        if (look.*told == PointColors::column && (look.*column).empty())
          object.fail(last, "must name a column");
      };
}

/// Makes a flag show the samples, too.
ViewField& shows_points(ViewField& field) {
  field.needs_samples = true;
  field.set = [set = std::move(field.set)](ViewFlags& flags, const std::string& given) {
    set(flags, given);
    flags.state.show_points = true;
  };
  return field.needing({kVolume});
}

void add_point_rows(ViewRows& rows) {
  const auto tells = [&](const char* name, const char* help, PointColors PointLook::*told,
                         std::string PointLook::*column) {
    shows_points(rows.flag({name, "plain|density|weight|COLUMN", help, "plain"},
                           [=](ViewFlags& flags, const std::string& given) {
                             PointLook& look = flags.state.point_look;
                             take_told(given, look.*told, look.*column);
                           }));
  };
  shows_points(rows.on({"points", "", "shows the samples over the volume"}, "points",
                       at(&ViewState::show_points)))
      .drawn({"samples", "In the volume, each at its depth; on flat slices those near them",
              "as points"})
      .known_as("also show points")
      .pressed("p", "show the samples as points");
  tells("points-color",
        "shows the samples, coloured by the density where they are, by their weights, or by a "
        "column of numbers or texts",
        &PointLook::colors, &PointLook::column);
  add_told(rows, "point_look/colors", &PointLook::colors, "point_look/column", &PointLook::column);
  rows.control({"point colour", "The density there, the weight, or a column"}, "points-color")
      .known_as("color");
  rows.control({"point size", "Relative to what suits their number"}, "points-size");
  rows.control({"size by", "The density, the weight, or a column"}, "points-size-by");
  shows_points(rows.value({"points-size", "S", "shows the samples this many times as large", "1"},
                          "point_look/size", at(&ViewState::point_look, &PointLook::size),
                          NumberWithin{kLeastPointSize, kMostPointSize},
                          ReadPlain{kLeastPointSize, kMostPointSize}));
  tells("points-size-by",
        "shows the samples from half to three times as large, by the density where they are, by "
        "their weights, or by a column of numbers",
        &PointLook::sizes, &PointLook::size_column);
  shows_points(rows.value({"points-where", "CONDITION",
                           "shows only samples whose rows fulfil a condition on columns, as "
                           "--where has it: 'mag >= 5 "
                           "&& stations < 40'; the density is that of all"},
                          "point_look/where", at(&ViewState::point_look, &PointLook::where),
                          parse_condition))
      .of_one_cloud()
      .drawn({"only where", "Condition on columns; the density stays that of all", "every sample"})
      .known_as("filter")
      .choose = [](ViewState& state, const std::string& text) {
    state.point_look.where = parse_condition(text);
  };
  add_told(rows, "point_look/sizes", &PointLook::sizes, "point_look/size_column",
           &PointLook::size_column);
}

void add_ellipsoid_rows(ViewRows& rows) {
  rows.word({"ellipsoids", "",
             "shows the members of a mixture, or splats, as ellipsoids at one deviation, coloured "
             "by mass: under the volume, or alone"},
            "ellipsoids", at(&ViewState::ellipsoids), kEllipsoidsShown)
      .drawn({"ellipsoids", "Under the volume, or alone; one deviation, coloured by mass"})
      .known_as("mixture splats")
      .pressed("e", "show ellipsoids: under, alone, off")
      .needing({{[](const ViewOptions& o) {
                   return o.state.ellipsoids == EllipsoidsShown::off || kVolume.met(o);
                 },
                 kVolume.why}});
  rows.kept("ellipsoid", at(&ViewState::member), ReadPlain{-1}).of_one_cloud();
  rows.option({"pick", "X,Y",
               "marks the ellipsoid at this pixel of the picture, and prints its numbers"},
              at(&ViewFlags::pick), parse_pixel)
      .needing({{is_picture, "on a window, where a click picks"},
                {[](const ViewOptions& o) {
                   return o.state.ellipsoids != EllipsoidsShown::off &&
                          have_own_kernels(o.state.cloud.columns);
                 },
                 "without ellipsoids", "add --ellipsoids under or --ellipsoids alone"}});
  rows.option({"probe", "X,Y",
               "pins the place at this pixel of the picture, and prints position, density, the "
               "mass above it and the nearest sample"},
              at(&ViewFlags::probe), parse_pixel)
      .needing({{is_picture, "on a window, where a click pins"}, kVolume});
  rows.in(Tab::questions);
  rows.kept("probe", at(&ViewState::show_probe))
      .drawn({"probe", "Reads the volume; a click pins the place", "under the mouse"})
      .put_ahead("pins value coordinates")
      .pressed("i", "probe: read the volume under the mouse");
  rows.kept("pins", at(&ViewState::pins), read_list(io::vector_from)).of_one_cloud();
}

void add_time_rows(ViewRows& rows) {
  ViewField& time = rows.value(
      {"time", "COLUMN",
       "shows the rows whose time, the value of this column, lies in a window; the box is "
       "that of all rows"},
      "time/column", at(&ViewState::time, &TimeWindow::column), as_typed);
  time.drawn({"time", "Column of times; the picture shows the rows in a window of it",
              "none: rows of all times"})
      .known_as("column play window from time-at time-window")
      .needs_samples = true;
  time.choose = [](ViewState& state, const std::string& text) {
    state.time = {};
    state.time.column = text;
  };
  /// A number that files leave out if it is not known.
  const auto known = [&](FieldText text, Key key, std::optional<double> TimeWindow::*member,
                         double (*parse)(const std::string&), ReadPlain read) {
    const auto access = at(&ViewState::time, member);
    ViewField& field = rows.value(std::move(text), key, access, parse,
                                  [=](io::JsonObject& object, Key last, auto& number) {
                                    if (object.find(last) != nullptr)
                                      read(object, last, number.emplace());
                                  });
    field.needs = {{[](const ViewOptions& o) { return !o.state.time.column.empty(); },
                    "without --time COLUMN"}};
    field.put = [=](const ViewState& state) {
      return access(state) ? Json(*access(state)) : Json(Json::value_t::discarded);
    };
    field.type = {ValueType::Kind::real, read.least};
  };
  known({"time-at", "T", "where the window begins", "the least time"}, "time/at", &TimeWindow::at,
        parse_finite, {});
  known({"time-window", "W", "length of the window", "a tenth of the range of all times"},
        "time/window", &TimeWindow::width, parse_length, {0});
}

void add_section_rows(ViewRows& rows) {
  rows.control({"slices", "Three planes through a place, in the volume"}, "slice-planes")
      .put_ahead("slice-smooth slice-samples smooth cells cross-hair");
  rows.control({"peak", "The largest value, and where it is; key K"}, "slices")
      .put_ahead("maximum mode coordinates through the peak");
  rows.flag({"slices", "X,Y,Z|peak",
             "three orthogonal slices through this place, in world units, through the peak, or "
             "through the middle; prints the density of the cell there",
             "middle"},
            [](ViewFlags& flags, const std::string& given) {
              flags.tell_sections = true;
              flags.at_peak = given == "peak";
              std::optional<Vec3>& place = flags.state.sections.at;
              place.reset();
              if (flags.at_peak || given == "middle") return;
              const std::vector<double> v =
                  parse_numbers(given, 3, "X,Y,Z in world units, peak, or middle");
              place = {v[0], v[1], v[2]};
            })
      .needing({kSections, kVolume});
  rows.kept("sections/at", at(&ViewState::sections, &Sections::at), read_maybe(io::vector_from))
      .of_one_cloud();
  rows.word({"slice-planes", "", "shows the slices as planes in the volume, or without the volume",
             "off, within if --slices is given"},
            "sections/shown", at(&ViewState::sections, &Sections::shown), kSectionsShown)
      .needing({kVolume});
  rows.value({"slice-samples", "SHARE",
              "over the slices of --view slices, shows the samples that are this near, as a share "
              "of the box's edge",
              "0.02"},
             "sections/samples_within", at(&ViewState::sections, &Sections::near), RealNumber(0, 1),
             ReadPlain{0, 1})
      .needing({{[](const ViewOptions& o) {
                   return !o.headless() || o.state.layout == ViewLayout::slices;
                 },
                 "without --view slices"}});
  rows.on({"slice-smooth", "",
           "interpolates the slices between cells, instead of one colour a cell"},
          "sections/smooth", at(&ViewState::sections, &Sections::smooth))
      .drawn({"", "Interpolates slices between the centres of cells", "smooth"})
      .needing({kSections, kVolume})
      .shown = [](const ViewState& state) {
    return state.sections.shown != SectionsShown::off || state.layout == ViewLayout::slices;
  };
}

void add_selection_rows(ViewRows& rows) {
  rows.control({"selected", "Ctrl and a drag in the volume; with Shift by a lasso"}, "select")
      .known_as("lasso estimate on these select-only");
  ViewField& select =
      rows.option({"select", "X,Y:X,Y[:...]",
                   "selects the samples in a box of the picture, or within an outline of three or "
                   "more places; prints their number and their share of the mass"},
                  at(&ViewFlags::select), parse_outline);
  select.needs = {{is_picture, "on a window, where Ctrl and a drag select"}, kVolume};
  select.needs_samples = true;
  rows.option({"select-only", "", "shows the density of the selected samples alone"},
              at(&ViewFlags::select_only), turned_on)
      .needing({{[](const ViewOptions& o) { return !o.select.empty(); }, "without --select"}});
  ViewField& selection = rows.kept("selection", at(&ViewState::selection),
                                   [](io::JsonObject& object, Key last, auto& selected) {
                                     std::vector<OutlinedPlaces> all;
                                     read_list(outline_from)(object, last, all);
                                     if (!all.empty()) selected = std::move(all.front());
                                   });
  selection.put = [](const ViewState& state) {
    return state.selection ? Json::array({json_of(*state.selection)}) : Json::array();
  };
  selection.of_cloud = true;
  rows.kept("within", at(&ViewState::within), read_list(outline_from));
}

}  // namespace

Json json_of(const OutlinedPlaces& places) {
  return {{"to_picture", places.to_picture}, {"outline", places.outline}};
}

void add_shown_rows(ViewRows& rows) {
  rows.in(Tab::look);
  add_point_rows(rows);
  add_ellipsoid_rows(rows);
  rows.group("Questions");
  rows.word({"score", "",
             "shows the curve of leave-one-out scores over h, least squares or likelihood, and "
             "prints its best h, Silverman's and the plug-in's"},
            "score", at(&ViewState::score), kScoresShown)
      .needs_samples = true;
  rows.option({"compare", "FILE|FIELD=VALUE",
               "compares the density A with another one, B: of a file, or with h=VALUE, "
               "kernel=NAME or where=CONDITION; by=COLUMN:A,B compares two categories. Prints the "
               "figures of skde compare"},
              at(&ViewFlags::compare), as_typed);
  rows.control({"other h", "Shows beside the density another one of so many times its h; key C"},
               "compare")
      .known_as("compare two bandwidths");
  rows.kept("compare/with", at(&ViewState::compare, &CompareState::with))
      .drawn({"compare", "With h=0.3, kernel=NAME, where=CONDITION, by=COLUMN:A,B, or a file",
              "with nothing"})
      .known_as("with by difference ratio compare-as")
      .choose = [](ViewState& state, const std::string& text) { take_comparison(text, state); };
  rows.word({"compare-as", "", "A beside B with one camera and one axis, A - B, or ln(A / B)"},
            "compare/as", at(&ViewState::compare, &CompareState::as), kComparedAs)
      .drawn({"compare as", "Side by side; A - B; or ln(A / B)"})
      .needing({{[](const ViewOptions& o) { return !o.state.compare.with.empty(); },
                 "without --compare"}})
      .shown = [](const ViewState& state) { return !state.compare.with.empty(); };
  add_time_rows(rows);
  add_section_rows(rows);
  add_selection_rows(rows);
}

}  // namespace skde::view
