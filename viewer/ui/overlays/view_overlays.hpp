#pragma once

#include <glm/glm.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "viewer/layers/method/method_layer.hpp"
#include "viewer/layers/method/method_picture.hpp"
#include "viewer/layers/samples/shown_points.hpp"
#include "viewer/layers/space/scene_overlay.hpp"
#include "viewer/layers/volume/volume_histogram.hpp"
#include "viewer/layers/volume/volume_look.hpp"
#include "viewer/scene/probe.hpp"
#include "viewer/scene/view_parts.hpp"
#include "viewer/scene/view_state.hpp"
#include "viewer/ui/value_ticks.hpp"
#include "viewer/work/questions.hpp"

/// Functions that draw over the views. Each source file describes its own.
namespace skde::view::ui {

/// Draws above the parts of the picture which densities they show. Returns how many lines of text
/// that takes.
int draw_comparison_captions(const CompareFacts& facts, CompareAs as, const PixelRegion& a,
                             const PixelRegion& b, float scale);
/// Draws a text at the right edge of a part of the picture. Line 0 is at its upper edge.
void draw_corner_caption(const std::string& text, int line, const PixelRegion& region, float scale);
/// Explains the colours of samples by texts in a column of pixels: the most frequent ones, and what
/// the others are together.
void draw_category_legend(std::span<const PointCategory> categories, const std::string& name,
                          const PixelRegion& region, float scale);
/// Explains the sizes of samples at the lower end of a region: the least and the largest disc with
/// their values. Returns what it leaves of the region.
PixelRegion draw_size_legend(const ValueAxis& axis, const std::string& name, PixelRegion region,
                             float scale);
/// Draws the reading of the place under the mouse beside it, within the region of the volume.
void draw_probe(const ProbeReading& reading, const ProbeTexts& texts, glm::dvec2 mouse,
                const PixelRegion& region, float scale);
/// Draws a numbered cross for each pin; `pixels` count from the region's corner, none is drawn for
/// places behind the eye.
void draw_pins(std::span<const std::optional<glm::dvec2>> pixels, const PixelRegion& region,
               float scale);
/// Explains the volume's colours in a column of pixels beside it: the colour map with ticks, the
/// quantity with its unit, and the densities of surfaces if there are any, those of the density
/// beside too.
void draw_scalar_bar(const ViewState& state, const Quantity& values,
                     std::span<const MassRegion> surfaces, std::span<const MassRegion> of_b,
                     const PixelRegion& region, float scale);
/// Draws the bar of another quantity, such as the masses of ellipsoids or a column that colours the
/// samples.
void draw_named_bar(const ValueAxis& axis, ColorMap colors, const Quantity& values,
                    const PixelRegion& region, float scale);
/// Draws axes with ticks around flat sections, and the cross-hair where the others cross them.
void draw_sections(std::span<const SectionMap> maps, const Box& bounds, Vec3 at,
                   const AxisTexts& texts, float scale);
/// Warnings, as lines along the upper edge of a region, and the region left to the views.
struct WarningStrip {
  std::vector<std::string> lines;
  PixelRegion views;
};

/// Breaks the warnings into lines as wide as the region. If there are many, keeps only as many as
/// leave most of the region to the views; the last one ends with an ellipsis.
WarningStrip warning_strip(std::span<const std::string> warnings, const PixelRegion& region,
                           float scale);
void draw_warnings(const WarningStrip& strip, const PixelRegion& region, float scale);

/// Draws the outline of a selection, in pixels of the picture; nothing for fewer than two places.
void draw_outline(std::span<const glm::dvec2> pixels, float scale);
/// Writes the names and numbers of a view over its region of the picture, below the panels. Pixels
/// of scene labels count from the region's corner, those of slice labels from the picture's.
/// `lines` are those of the scene, in its pixels; no text crosses them. See place_labels().
void draw_labels(std::span<const SceneLabel> labels, std::span<const PixelLine> lines,
                 const PixelRegion& region, float scale);
void draw_labels(std::span<const SliceLabel> labels, const PixelRegion& region, float scale);

}  // namespace skde::view::ui
