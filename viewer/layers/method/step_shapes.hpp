#pragma once

#include "viewer/layers/method/method_geometry.hpp"
#include "viewer/layers/method/method_picture.hpp"

namespace skde::view {

/// The three steps of the method.
enum class MethodStep { all_cells, chop, crop };

/// Returns where the stack of a step lies in a picture of `size` pixels: left of the names of its
/// slices.
StackFrame stack_frame(MethodStep step, const SampleSlices& slices, const MethodLook& look,
                       glm::ivec2 size, float scale);

/// Draws a step as a stack of slices, with its labels. All cells: the whole grid, and the kernel in
/// it. Chop: the full slices that the kernel meets, around it. Crop: the cells of each slice that
/// are evaluated, coloured by the kernel's value, with the kernel's outline and axes.
void draw_step(RegionPen& pen, MethodStep step, const SampleSlices& slices, const MethodLook& look);

/// Returns where the slice lies in a picture of `size` pixels: left of the inset, if there is room.
FaceFrame face_frame(const SampleSlices& slices, const MethodLook& look, glm::ivec2 size,
                     float scale);

/// Draws the chosen slice face on: its cells with their centres, coloured by the kernel's value,
/// what crop keeps, the ellipse and its axes, and the full slice as an inset.
void draw_face(RegionPen& pen, const SampleSlices& slices, const MethodLook& look);

}  // namespace skde::view
