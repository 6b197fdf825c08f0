#include "viewer/session/options/clip_options.hpp"

#include <fmt/core.h>

#include <cmath>
#include <vector>

#include "core/grid.hpp"
#include "core/report/number_list.hpp"
#include "io/json_geometry.hpp"

namespace skde::view {
namespace {

bool is_plane(const ClipPlane& plane) {
  return plane.normal != Vec3{} && std::isfinite(plane.offset);
}

ClipPlane parse_plane(const std::string& given) {
  const std::vector<double> v = parse_finite_list(given, 4);
  const ClipPlane plane = v.empty() ? ClipPlane{{}, 0} : ClipPlane{{v[0], v[1], v[2]}, v[3]};
  if (!is_plane(plane))
    cli::usage_error(
        fmt::format("must be NX,NY,NZ,D: a normal other than 0, and its product with places on the "
                    "plane, such as 1,0,0,2.5 for x = 2.5; got '{}'",
                    given));
  return plane;
}

}  // namespace

void add_clip_flags(cli::OptionTable& table, Clip& clip) {
  table.value({.name = "clip-box",
               .value = "X0,Y0,Z0:X1,Y1,Z1",
               .help = "shows only what lies in this box, in world units"},
              clip.box, parse_bounds);
  table.value(
      {.name = "clip-plane",
       .value = "NX,NY,NZ,D",
       .help = "cuts away what lies beyond the plane NX x + NY y + NZ z = D, on the side of "
               "its normal, in world units"},
      clip.plane, parse_plane);
}

nlohmann::ordered_json clip_json(const Clip& clip) {
  nlohmann::ordered_json json{{"box", io::to_json(clip.box)}, {"plane", nullptr}};
  if (clip.plane)
    json["plane"] = {{"normal", io::to_json(clip.plane->normal)}, {"offset", clip.plane->offset}};
  return json;
}

Clip clip_from(io::JsonObject object) {
  Clip clip;
  io::read_optional(object, "box", clip.box, io::box_from);
  if (const auto* plane = object.find("plane"); plane != nullptr && !plane->is_null()) {
    io::JsonObject given = object.object(*plane, "plane");
    given.require({"normal", "offset"});
    clip.plane = ClipPlane{io::vector_from(given, *given.find("normal"), "normal"), 0};
    given.read("offset", clip.plane->offset);
    given.finish();
    if (!is_plane(*clip.plane)) object.fail("plane", "needs a normal other than 0");
  }
  object.finish();
  return clip;
}

}  // namespace skde::view
