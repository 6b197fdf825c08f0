#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/options/density_options.hpp"
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

constexpr const char* kAngles = "AZ,EL,ZOOM";

constexpr FlagNeed kMethod{
    [](const ViewOptions& o) { return !o.headless() || shows_method(o.state.layout); },
    "without --view both or method"};

void take_camera(const std::string& given, Camera& camera) {
  constexpr const char* kForm =
      "AZIMUTH,ELEVATION,ZOOM: degrees, degrees from -90 to 90, and a factor above 0";
  const std::vector<double> v = parse_numbers(given, 3, kForm);
  if (std::abs(v[1]) > 90 || v[2] < Camera::kLeastZoom || v[2] > Camera::kMostZoom)
    must_be(kForm, given);
  camera.azimuth = v[0];
  camera.elevation = v[1];
  camera.zoom = v[2];
}

void take_proportions(const std::string& given, ViewState& state) {
  state.axis_factors = {1, 1, 1};
  if (given.find(',') == given.npos) {
    state.proportions = OneOf<Proportions>(kProportions)(given);
    return;
  }
  const std::vector<double> v = parse_number_list<double>(given);
  if (v.size() != 3 || !are_factors({v[0], v[1], v[2]}))
    must_be("auto, true, fit, or three factors such as 1,1,5", given);
  state.axis_factors = {v[0], v[1], v[2]};
  state.proportions = Proportions::alike;
}

std::array<bool, 3> flips_from(const io::JsonObject& object, const Json& given, Key key) {
  const bool fits = given.is_array() && given.size() == 3 &&
                    std::ranges::all_of(given, [](const Json& one) { return one.is_boolean(); });
  if (!fits) object.fail(key, "must be true or false, three times");
  return {given[0].get<bool>(), given[1].get<bool>(), given[2].get<bool>()};
}

/// Adds what files hold of a camera, but for `orthographic`.
template <class Access>
void add_angles(ViewRows& rows, std::array<Key, 3> keys, Access camera) {
  constexpr double kLeast = Camera::kLeastZoom, kMost = Camera::kMostZoom;
  const auto add = [&](ViewField& field, const FieldWidget& as) {
    field.drawn(as).text.name = "camera";
  };
  add(rows.kept(
          keys[0], [=](auto& state) -> auto& { return camera(state).azimuth; }),
      {"azimuth", "Degrees around the vertical, from +x", "%.4g\u00b0", -180, 180});
  add(rows.kept(
          keys[1], [=](auto& state) -> auto& { return camera(state).elevation; },
          ReadPlain{-90, 90}),
      {"elevation", "Degrees above the horizon", "%.4g\u00b0", -90, 90});
  add(rows.kept(
          keys[2], [=](auto& state) -> auto& { return camera(state).zoom; },
          ReadPlain{kLeast, kMost}),
      {"zoom", "1 fits the box into the view", "\u00d7 %.4g", kLeast, kMost});
}

void read_focus(io::JsonObject& object, Key key, glm::dvec3& focus) {
  Vec3 place{focus.x, focus.y, focus.z};
  read_by(io::vector_from)(object, key, place);
  focus = {place.x, place.y, place.z};
}

void read_factors(io::JsonObject& object, Key key, Vec3& factors) {
  read_by(io::vector_from)(object, key, factors);
  if (!are_factors(factors)) object.fail(key, "must be three numbers from 0.000001 to 1000000");
}

void add_camera_rows(ViewRows& rows) {
  rows.in(Tab::picture);
  rows.control({"camera", "Drag: orbit; middle or Shift: pan; right or wheel: zoom"}, "camera")
      .known_as("front right top reset");
  rows.flag({"camera", kAngles,
             "camera: degrees around, degrees above the horizon, and a zoom factor",
             "the broad side of the cloud, 1"},
            [](ViewFlags& flags, const std::string& given) {
              take_camera(given, flags.state.camera);
            })
      .needing({kVolume});
  add_angles(rows, {"camera/azimuth", "camera/elevation", "camera/zoom"}, at(&ViewState::camera));
  rows.on({"orthographic", "", "draws the volume as from far away: equal lengths look equal"},
          "camera/orthographic", at(&ViewState::camera, &Camera::orthographic))
      .drawn({"projection", "As from far away, where equal lengths look equal", "orthographic"})
      .letters = "5";
  rows.kept("camera/focus", at(&ViewState::camera, &Camera::focus), read_focus);
  rows.flag(
      {"proportions", "auto|true|fit|FX,FY,FZ",
       "true: equal scales along all axes; fit: the box is drawn as a cube; 1,1,5: lengths along z "
       "are drawn 5 times as long as along x",
       "auto: fit if an edge is 12 times as long as another"},
      [](ViewFlags& flags, const std::string& given) { take_proportions(given, flags.state); });
  rows.kept_word("proportions", at(&ViewState::proportions), kProportions)
      .drawn({"proportions", "true: equal scales along all axes; fit: the box as a cube"})
      .known_as("axes stretch")
      .text.name = "proportions";
  rows.kept("axis_factors", at(&ViewState::axis_factors), read_factors)
      .drawn({"axis factors", "How many times longer lengths along x, y and z are drawn", "1,1,1"})
      .known_as("stretch")
      .choose = [](ViewState& state, const std::string& text) {
    take_proportions(text.empty() ? "1,1,1" : text, state);
  };
  rows.control({"flip", "Turns an axis, such as a depth that increases downwards"}, "flip")
      .known_as("invert axis depth up");
  rows.value(cli::flip_text(), "flipped", at(&ViewState::flipped), cli::parse_flips,
             read_maybe(flips_from));
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

void add_method_rows(ViewRows& rows) {
  rows.group("View");
  rows.in(Tab::method);
  ViewField& layout =
      rows.word(
              {"view", "volume|method|both|slices",
               "the volume, the method shown on one sample, both side by side, or three orthogonal "
               "slices beside the volume"},
              "layout", at(&ViewState::layout), kViewLayouts)
          .drawn({"views", "The volume, the method on one sample, both, or flat slices"})
          .put_ahead("show layout flat slices")
          .pressed("m", "show the method on one sample");
  layout.first = true;
  layout.press = [](ViewState& state, char) {
    state.layout = shows_method(state.layout) ? ViewLayout::volume : ViewLayout::both;
  };
  const auto method = [](ViewField& field) -> ViewField& {
    field.needs_samples = true;
    return field.needing({kMethod});
  };
  method(rows.value({"sample", "N", "index of the sample that the method shows, from 0", "0"},
                    "sample", at(&ViewState::sample), WholeNumber(0), ReadPlain{0}))
      .of_one_cloud();
  method(rows.value({"slice", "N", "index of the grid's z slice to show face on, from 0",
                     "through the sample"},
                    "slice", at(&ViewState::slice), WholeNumber(0), ReadPlain{-1}))
      .of_one_cloud();
  rows.control({"sample", "Whose method is shown; a click in the volume chooses it too"}, "sample")
      .put_ahead();
  rows.control({"kernel slice", "One of those that chop keeps"}, "slice").known_as("z");
  rows.kept("slices", at(&ViewState::show_slices))
      .drawn({"", "Shows the slices of the chosen sample in the volume", "in the volume too"})
      .known_as("also show slices")
      .pressed("s", "show the slices of the chosen sample");
  method(rows.on({"full-slices", "",
                  "the method shows whole slices, instead of what lies around the kernel"},
                 "full_slices", at(&ViewState::show_full_slices)))
      .drawn({"", "Whole slices, instead of what lies around the kernel", "full slices"})
      .pressed("g", "the method around the kernel, or on whole slices");
  constexpr double kLeast = MethodState::kLeastApart, kMost = MethodState::kMostApart;
  method(rows.value(
             {"apart", "FACTOR",
              "draws the method's slices this many times as far apart as they are, 1 to 20", "1"},
             "method/apart", at(&ViewState::method, &MethodState::apart),
             NumberWithin{kLeast, kMost}, ReadPlain{kLeast, kMost}))
      .drawn({"apart", "Distance of the slices in the stacks, relative to the true one",
              "%.1f \u00d7", kLeast, kMost})
      .pressed(",.", "slices of the method nearer; farther apart")
      .press = [](ViewState& state, char key) {
    constexpr double kStep = 1.25;
    state.method.draw_apart(key == '.' ? kStep : 1 / kStep);
  };
  method(rows.flag({"method-camera", kAngles,
                    "camera of the method's stacks, as --camera is that of the volume", "-60,25,1"},
                   [](ViewFlags& flags, const std::string& given) {
                     take_camera(given, flags.state.method.camera);
                   }));
  method(rows.on({"play", "",
                  "the method goes on by itself in a window, slice by slice and sample by sample"},
                 "method/plays", at(&ViewState::method, &MethodState::plays)))
      .drawn({"", "The method goes on by itself, slice by slice", "play slices"})
      .pressed("a", "the method goes on by itself (play), or stops");
  rows.in(Tab::none);
  add_angles(rows, {"method/camera/azimuth", "method/camera/elevation", "method/camera/zoom"},
             at(&ViewState::method, &MethodState::camera));
  rows.kept("method/camera/orthographic",
            at(&ViewState::method, &MethodState::camera, &Camera::orthographic));
  rows.kept("method/camera/focus", at(&ViewState::method, &MethodState::camera, &Camera::focus),
            read_focus);
  add_camera_rows(rows);
}

}  // namespace skde::view
