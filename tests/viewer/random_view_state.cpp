#include "viewer/random_view_state.hpp"

#include <limits>

#include "support/cases/random_request.hpp"

namespace skde::test {
namespace {

using namespace skde::view;

void choose_look(Choice& choose, ViewState& state) {
  state.axis_follows_density = choose.coin();
  state.mode = choose.word(kRenderModes);
  state.gradient_shading = choose.coin();
  state.isovalue = choose.real(0, 1);
  for (std::int64_t left = choose.whole(0, kMostSurfaces); left > 0; --left)
    state.masses.push_back(choose.real(0.01, 0.99));
  state.quality = choose.real(0.1, 4);
  state.layout = choose.word(kViewLayouts);
  state.appearance = {choose.word(kThemes),
                      choose.word(kGrounds),
                      choose.coin() ? "a \"title\"" : "",
                      choose.coin(),
                      choose.coin(),
                      choose.coin(),
                      choose.coin(),
                      choose.word(kPictureFormats),
                      {choose.coin() ? 0 : static_cast<int>(choose.whole(16, 16384)), 480}};
  state.division = {choose.real(0.1, 0.9), choose.real(300, 900), choose.coin()};
  for (Camera* camera : {&state.camera, &state.method.camera}) {
    const Vec3 focus = choose.place();
    camera->azimuth = choose.real(-720, 720);
    camera->elevation = choose.real(-90, 90);
    camera->zoom = choose.real(0.01, 100);
    camera->orthographic = choose.real(0, 1) < 0.5;
    camera->focus = {focus.x, focus.y, focus.z};
  }
  state.method.plays = choose.coin();
  state.method.apart = choose.real(MethodState::kLeastApart, MethodState::kMostApart);
  state.proportions = choose.word(kProportions);
  state.axis_factors = {choose.real(0.1, 9), choose.real(0.1, 9), choose.real(0.1, 9)};
  for (bool& flipped : state.flipped) flipped = choose.coin();
  state.show_points = choose.coin();
  state.show_slices = choose.coin();
  state.show_full_slices = choose.coin();
  state.sample = choose.whole(0, std::numeric_limits<std::int64_t>::max());
  state.slice = choose.whole(-1, 4000);
  state.ellipsoids = choose.word(kEllipsoidsShown);
  state.show_probe = choose.coin();
  for (std::int64_t left = choose.whole(0, 3); left > 0; --left)
    state.pins.push_back(choose.place());
  if (choose.coin()) {
    const Vec3 corner = choose.place();
    state.clip.box = Box{corner, corner + Vec3{choose.real(1, 9), choose.real(1, 9), 1}};
  }
  if (choose.coin()) state.clip.plane = ClipPlane{{1, choose.real(-1, 1), 0}, choose.real(-9, 9)};
  const auto outlined = [&] {
    OutlinedPlaces places;
    for (double& number : places.to_picture) number = choose.real(-9, 9);
    for (std::int64_t left = choose.whole(3, 9); left > 0; --left)
      places.outline.push_back({choose.real(0, 1), choose.real(0, 1)});
    return places;
  };
  if (choose.coin()) state.selection = outlined();
  for (std::int64_t left = choose.whole(0, 2); left > 0; --left) state.within.push_back(outlined());
  state.point_look = {choose.word(kPointColors), choose.text(), choose.real(0.1, 9), choose.text(),
                      choose.word(kPointColors), choose.text()};
  state.sections.shown = choose.word(kSectionsShown);
  if (choose.coin()) state.sections.at = choose.place();
  state.sections.smooth = choose.coin();
  state.sections.near = choose.real(0, 1);
  state.member = choose.whole(-1, 70000);
  state.score = choose.word(kScoresShown);
  if (choose.coin()) state.time = {"t", choose.real(-5, 5), choose.real(0, 3)};
  state.compare = {choose.coin() ? "h=0.25" : "", choose.word(kComparedAs)};
}

}  // namespace

TransferFunction random_transfer_function(std::mt19937& random) {
  Choice choose(random);
  TransferFunction function;
  apply_preset(function, transfer_presets()[static_cast<std::size_t>(choose.whole(
                                                0, std::ssize(transfer_presets()) - 1))]
                             .name);
  for (int i = 0; i < 5; ++i) function.add({choose.real(0, 1), choose.real(0, 1)});
  function.colors = choose.word(kColorMaps);
  function.follows_mass = choose.coin();
  function.opacity_scale = choose.real(0, 10);
  const double low = choose.positive();
  function.axis = {low, low * choose.real(1.1, 1e6), choose.coin()};
  return function;
}

ViewState random_view_state(std::mt19937& random) {
  Choice choose(random);
  ViewState state;
  state.cloud = random_files(choose);
  state.units = choose.coin() ? "km" : "\u00b5m (\"x\")";
  state.density = random_request(choose);
  state.density.options.devices.clear();  // the view shows the result of one device
  state.transfer = random_transfer_function(random);
  choose_look(choose, state);
  return state;
}

}  // namespace skde::test
