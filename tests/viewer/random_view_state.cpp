#include "viewer/random_view_state.hpp"

#include "support/cases/random_request.hpp"
#include "support/catch.hpp"
#include "viewer/layers/volume/transfer_function.hpp"
#include "viewer/session/view_fields.hpp"
#include "viewer/session/view_state_file.hpp"

namespace skde::test {
namespace {

using namespace skde::view;
using Json = nlohmann::ordered_json;

Json random_numbers(Choice& choose, std::int64_t count, double least, double most) {
  Json list = Json::array();
  for (; count > 0; --count) list.push_back(choose.real(least, most));
  return list;
}

Json random_outlines(Choice& choose, std::int64_t count) {
  Json list = Json::array();
  for (; count > 0; --count) {
    Json corners = Json::array();
    for (std::int64_t left = choose.whole(3, 9); left > 0; --left)
      corners.push_back(random_numbers(choose, 2, 0, 1));
    list.push_back({{"to_picture", random_numbers(choose, 12, -9, 9)}, {"outline", corners}});
  }
  return list;
}

/// Returns a value of a key that has another form than its default shows.
Json random_other(Choice& choose, std::string_view key, std::mt19937& random) {
  if (key == "transfer") return transfer_function_json(random_transfer_function(random));
  if (key == "selection") return random_outlines(choose, choose.whole(0, 1));
  if (key == "within") return random_outlines(choose, choose.whole(0, 2));
  if (key == "masses") return random_numbers(choose, choose.whole(0, kMostSurfaces), 0.01, 0.99);
  if (key == "axis_factors") return random_numbers(choose, 3, 0.1, 9);
  if (key == "appearance/size") return {choose.coin() ? 0 : choose.whole(16, 16384), 480};
  if (key == "pins") {
    Json pins = Json::array();
    for (std::int64_t left = choose.whole(0, 3); left > 0; --left)
      pins.push_back(random_numbers(choose, 3, -1e6, 1e6));
    return pins;
  }
  if (choose.coin()) return nullptr;
  if (key == "flipped") return {choose.coin(), choose.coin(), choose.coin()};
  if (key == "clip/box")
    return {random_numbers(choose, 3, -9, -1), random_numbers(choose, 3, 1, 9)};
  if (key == "clip/plane") return {{"normal", {1, choose.real(-1, 1), 0}}, {"offset", 2.5}};
  return random_numbers(choose, 3, -1e6, 1e6);  // sections/at
}

Json random_value(Choice& choose, const ViewField& field, std::mt19937& random) {
  const Json usual = field.put(ViewState());
  const ValueType& type = field.type;
  if (!type.words.empty())
    return type.words[static_cast<std::size_t>(choose.whole(0, std::ssize(type.words) - 1))];
  if (usual.is_boolean()) return choose.coin();
  if (usual.is_string()) return choose.text();
  if (usual.is_number_integer())
    return choose.whole(static_cast<std::int64_t>(type.least.value_or(0)), 70000);
  if (usual.is_discarded() && choose.coin()) return usual;  // a number that files leave out
  if (usual.is_number() || usual.is_discarded())
    return choose.real(type.least.value_or(-720), std::min(type.most.value_or(720), 1e4));
  if (field.key.ends_with("focus")) return random_numbers(choose, 3, -1, 1);
  return random_other(choose, field.key, random);
}

}  // namespace

TransferFunction random_transfer_function(std::mt19937& random) {
  Choice choose(random);
  TransferFunction function;
  apply_preset(
      function,
      kOpacityPresets[static_cast<std::size_t>(choose.whole(0, std::ssize(kOpacityPresets) - 1))]
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
  DensityOptions density;
  density.files = random_files(choose);
  density.units = choose.coin() ? "km" : "\u00b5m (\"x\")";
  density.request = random_request(choose);
  density.request.options.devices.clear();  // the view shows the result of one device
  Json json = Json::object();
  for (const ViewField* const field : state_fields())
    if (Json value = random_value(choose, *field, random); !value.is_discarded())
      json[field->pointer()] = std::move(value);
  ViewState state = view_state_from(json, "view.json");
  const Json kept = view_state_json(state);
  for (const ViewField* const field : state_fields())
    if (json.contains(field->pointer())) REQUIRE(kept[field->pointer()] == json[field->pointer()]);
  keep_density(std::move(density), state);
  return state;
}

}  // namespace skde::test
