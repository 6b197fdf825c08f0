#include <fmt/core.h>

#include <algorithm>

#include "core/report/words.hpp"
#include "core/space/grid.hpp"
#include "viewer/session/view_rows.hpp"

namespace skde::view {
namespace {

constexpr FlagNeed kSurfaces{
    [](const ViewOptions& o) { return !o.headless() || o.state.mode == RenderMode::isosurface; },
    "without --mode isosurface"};

bool are_shares(const std::vector<double>& masses) {
  const auto is_share = [](double mass) { return mass > 0 && mass < 1; };
  return masses.size() <= kMostSurfaces && std::ranges::all_of(masses, is_share);
}

std::vector<double> parse_masses(const std::string& given) {
  std::vector<double> masses = parse_number_list<double>(given);
  if (masses.empty() || !are_shares(masses))
    must_be(fmt::format("1 to {} shares between 0 and 1, such as 0.5,0.95", kMostSurfaces), given);
  return masses;
}

void read_masses(io::JsonObject& object, Key key, std::vector<double>& masses) {
  object.read(key, masses, 0);
  if (!are_shares(masses))
    object.fail(key, fmt::format("must be at most {} shares between 0 and 1", kMostSurfaces));
}

ClipPlane parse_plane(const std::string& given) {
  constexpr const char* kForm =
      "NX,NY,NZ,D: a normal other than 0, and its product with places on the plane, such as "
      "1,0,0,2.5 for x = 2.5";
  const std::vector<double> v = parse_numbers(given, 4, kForm);
  const ClipPlane plane{{v[0], v[1], v[2]}, v[3]};
  if (!plane.divides()) must_be(kForm, given);
  return plane;
}

ClipPlane plane_from(const io::JsonObject& object, const Json& value, Key key) {
  io::JsonObject given = object.object(value, key);
  given.require({"normal", "offset"});
  ClipPlane plane{io::vector_from(given, *given.find("normal"), "normal"), 0};
  given.read("offset", plane.offset);
  given.finish();
  if (!plane.divides()) object.fail(key, "needs a normal other than 0");
  return plane;
}

TransferFunction transfer_from(const io::JsonObject& object, const Json& value, Key key) {
  return transfer_function_from(object.object(value, key));
}

void add_clip_rows(ViewRows& rows) {
  rows.in(Tab::questions);
  rows.control({"clip box", "Shows only what lies in a box"}, "clip-box")
      .known_as("inside only crop");
  rows.control({"clip plane", "Cuts away what lies before a plane at any angle"}, "clip-plane")
      .known_as("cut normal");
  rows.control({"fit", "Describes the density that is shown by ellipsoids"})
      .known_as("members ellipsoids K mixture gaussians");
  rows.value({"clip-box", "X0,Y0,Z0:X1,Y1,Z1", "shows only what lies in this box, in world units"},
             "clip/box", at(&ViewState::clip, &Clip::box), parse_bounds, read_maybe(io::box_from))
      .of_one_cloud()
      .needing({kVolume});
  rows.value({"clip-plane", "NX,NY,NZ,D",
              "cuts away what lies beyond the plane NX x + NY y + NZ z = D, on the side of its "
              "normal, in world units"},
             "clip/plane", at(&ViewState::clip, &Clip::plane), parse_plane, read_maybe(plane_from))
      .of_one_cloud()
      .needing({kVolume});
}

}  // namespace

Json json_of(const ClipPlane& plane) {
  return {{"normal", io::to_json(plane.normal)}, {"offset", plane.offset}};
}

void add_look_rows(ViewRows& rows) {
  rows.group("Look of the volume");
  rows.in(Tab::look);
  ViewField& mode = rows.word({"mode", "", "how values along a ray become a colour"}, "mode",
                              at(&ViewState::mode), kRenderModes)
                        .needing({kVolume})
                        .drawn({.name = "volume as",
                                .tip = "All layers, the largest value along each ray, or surfaces",
                                .menu = true})
                        .put_ahead("composite maximum isosurface");

  mode.first = true;
  mode.choose = [choose = mode.choose](ViewState& state, const std::string& word) {
    choose(state, word);
    start_mode(state);
  };
  rows.control({"levels", "Surfaces that hold shares of the mass, or one of a density"}, "mass")
      .put_ahead("isovalue surfaces isosurface nested 50 % mass inside")
      .pressed("l", "surfaces: of half of the mass, of three shares, none")
      .press = [](ViewState& state, char) {
    const bool shown = state.mode == RenderMode::isosurface;
    state.mode = shown && state.masses.size() > 1 ? RenderMode::composite : RenderMode::isosurface;
    state.masses = shown ? kFirstMasses : std::vector<double>{kFirstMasses.front()};
  };
  rows.control({"colours", "The map of colours, and whether it is inverted"})
      .put_ahead("colors viridis map inverted");
  rows.control({"opacity", "The curve over the histogram, and a factor on all of it"}, "transfer")
      .put_ahead("transfer function histogram alpha");
  rows.value({"no-shading", "", "no shading by the density's gradient (composite mode)"}, "shading",
             at(&ViewState::gradient_shading), [](const std::string&) { return false; })
      .drawn({"shading", "By the density's gradient", "by gradient"})
      .needing({kVolume,
                {[](const ViewOptions& o) {
                   return !o.headless() || o.state.mode == RenderMode::composite;
                 },
                 "without --mode composite"}})
      .shown = [](const ViewState& state) { return state.mode == RenderMode::composite; };
  rows.value({"isovalue", "SHARE",
              "position of the isosurface on the axis of the transfer function", "0.5"},
             "isovalue", at(&ViewState::isovalue), RealNumber(0, 1), ReadPlain{0, 1})
      .needing({kVolume, kSurfaces});
  rows.value({"mass", "M,...",
              "nested surfaces that hold these shares of the mass, at most 4, such as "
              "0.5,0.75,0.95; prints density and volume of each (isosurface mode)",
              "0.5,0.75,0.95 with --mode isosurface, without --isovalue"},
             "masses", at(&ViewState::masses), parse_masses, read_masses)
      .drawn({"mass shares", "Inside the surfaces, at most 4, such as 0.5,0.95", "none"})
      .needing({kVolume, kSurfaces})
      .choose = [](ViewState& state, const std::string& text) {
    state.masses = text.empty() ? std::vector<double>{} : parse_masses(text);
    state.mode = RenderMode::isosurface;
  };
  rows.kept("quality", at(&ViewState::quality), ReadPlain{0.01, 16})
      .drawn({"quality", "Samples of a ray in each cell that it crosses, while the view is still",
              "%.2f a cell", 0.25, 4});
  rows.control({"preset", "A preset; colours and axis stay"}).known_as("curve by mass");
  rows.control({"colour axis", "Linear or logarithmic, and whether it follows the peak"})
      .known_as("log");
  rows.control({"axis range", "Range or decades on the axis; drag, or Ctrl-click to type"})
      .known_as("window");
  rows.control({"axis middle", "Middle of the axis; drag, or Ctrl-click to type"})
      .known_as("level");
  rows.control({"colour file", "Colours, opacities and axis as JSON"}, "transfer")
      .known_as("save load");
  add_clip_rows(rows);
  rows.option({"transfer", "FILE", "file of colours and opacities, as the editor saves them"},
              at(&ViewFlags::transfer_file), as_typed)
      .needing({kVolume});
  rows.kept("transfer", at(&ViewState::transfer), read_by(transfer_from));
  rows.kept("axis_follows_density", at(&ViewState::axis_follows_density)).of_one_cloud();
  rows.option(
          {"state", "FILE", "file with the full state of another session; other flags override it"},
          at(&ViewFlags::state_file), as_typed)
      .first = true;
  rows.option({"last-look", "", "shows the files with the look of the last session"},
              at(&ViewFlags::last_look), turned_on);
}

}  // namespace skde::view
