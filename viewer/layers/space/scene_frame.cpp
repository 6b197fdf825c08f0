#include "viewer/layers/space/scene_frame.hpp"

#include "viewer/gl/shader_program.hpp"

namespace skde::view {
namespace {

constexpr float kBeyondScene = 1e3F;  // scene units

}  // namespace

glm::dvec4 scene_plane(const ClipPlane& plane, const SceneFrame& frame) {
  const glm::dvec3 normal =
      glm::dvec3(plane.normal.x, plane.normal.y, plane.normal.z) * frame.unit();
  return glm::dvec4(normal, -plane.beyond(frame.to_world(glm::dvec3(0)))) / glm::length(normal);
}

ClipPlane plane_through(Vec3 place, glm::dvec3 normal, const SceneFrame& frame) {
  const glm::dvec3 n = normal / frame.unit();
  ClipPlane plane{{n.x, n.y, n.z}, 0};
  plane.offset = plane.beyond(place);
  return plane;
}

void set_clip(const gl::ShaderProgram& program, const Clip& clip, const SceneFrame& frame) {
  program.set("clipped", clip.is_on() ? 1 : 0);
  if (!clip.is_on()) return;
  glm::dvec3 lower(-kBeyondScene), upper(kBeyondScene);
  if (clip.box) {
    const glm::dvec3 one = frame.to_scene(clip.box->lower), other = frame.to_scene(clip.box->upper);
    lower = glm::min(one, other);  // axes may be flipped
    upper = glm::max(one, other);
  }
  program.set("clip_lower", glm::vec3(lower));
  program.set("clip_upper", glm::vec3(upper));
  glm::dvec4 plane(0, 0, 0, 1);
  if (clip.plane) plane = scene_plane(*clip.plane, frame);
  program.set("clip_plane", glm::vec4(plane));
}

}  // namespace skde::view
