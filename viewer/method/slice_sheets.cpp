#include "viewer/method/slice_sheets.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "viewer/method/method_look.hpp"

namespace skde::view {
namespace {

constexpr GLsizei kPartsOfSheet = 10;  // see slice_sheet.vert

/// Must match slice_sheet.vert.
struct SliceRecord {
  glm::ivec4 range, place;
};

glm::vec4 vector(const SheetOpacity& o) { return {o.inside, o.evaluated, o.full, o.edges}; }

}  // namespace

void SliceSheets::upload(const SampleSlices& slices) {
  std::vector<SliceRecord> records;
  for (const SampleSlice& s : slices.slices)
    records.push_back({{s.range.x.begin, s.range.y.begin, s.range.x.end, s.range.y.end},
                       {s.z, static_cast<int>(s.first_row), 0, 0}});
  slices_.assign(std::span<const SliceRecord>(records));
  static_assert(sizeof(IndexRange) == sizeof(glm::ivec2));
  rows_.assign(std::span(slices.rows));
  first_z_ = slices.z.begin;
  count_ = slices.z.size();
  slice_cells_ = glm::vec2(slices.dims[0], slices.dims[1]);
}

void SliceSheets::draw_one(const SheetDrawing& drawing, std::size_t index) const {
  set_uniforms(drawing);
  draw(static_cast<std::int32_t>(index), 1, 1);
}

void SliceSheets::draw_stack(const SheetDrawing& drawing, double eye_z) const {
  set_uniforms(drawing);
  const double below =
      std::clamp(std::ceil(eye_z - 0.5) - first_z_, 0.0, static_cast<double>(count_));
  const auto split = static_cast<std::int32_t>(below);
  draw(0, split, 1);
  draw(count_ - 1, count_ - split, -1);
}

void SliceSheets::set_uniforms(const SheetDrawing& drawing) const {
  program_.set("to_clip", glm::mat4(drawing.to_clip));
  program_.set("viewport", glm::vec2(drawing.viewport));
  program_.set("slice_cells", slice_cells_);
  program_.set("current_slice", static_cast<int>(drawing.current));
  program_.set("line_scale", drawing.line_scale);
  program_.set("inside_color", kInsideColor);
  program_.set("evaluated_color", kEvaluatedColor);
  program_.set("full_color", kFullSliceColor);
  program_.set("current_opacity", vector(drawing.current_opacity));
  program_.set("other_opacity", vector(drawing.other_opacity));
  program_.set("full_share", drawing.full_share);
}

void SliceSheets::draw(std::int32_t first, std::int32_t count, std::int32_t step) const {
  if (count <= 0) return;
  slices_.bind_storage(0);
  rows_.bind_storage(1);
  program_.set("first_slice", first);
  program_.set("slice_step", step);
  program_.use();
  no_attributes_.bind();
  glDrawArraysInstanced(GL_TRIANGLES, 0, 6 * kPartsOfSheet, count);
}

}  // namespace skde::view
