#pragma once

#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/space/camera.hpp"

namespace skde::view {

/// Sets the uniforms by which shaders trace the rays of a view and light what they meet: eye,
/// forward, across and upwards, near_far, and light.
void set_rays(const gl::ShaderProgram& program, const Perspective& perspective);

}  // namespace skde::view
