#include "viewer/layers/space/ray_uniforms.hpp"

namespace skde::view {

void set_rays(const gl::ShaderProgram& program, const Perspective& p) {
  program.set("eye", glm::vec3(p.eye()));
  program.set("forward", glm::vec3(p.forward()));
  program.set("across", glm::vec3(p.half_size().x * p.right()));
  program.set("upwards", glm::vec3(p.half_size().y * p.up()));
  program.set("near_far", glm::vec2(p.near(), p.far()));
  // Light from behind the viewer's left shoulder.
  program.set("light", glm::vec3(glm::normalize(-p.forward() + 0.55 * p.up() - 0.35 * p.right())));
}

}  // namespace skde::view
