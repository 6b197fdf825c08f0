#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cloud/outlined_places.hpp"
#include "core/report/words.hpp"
#include "estimate/read/time_window.hpp"
#include "estimate/values/request.hpp"
#include "viewer/layers/samples/point_look.hpp"
#include "viewer/layers/space/camera.hpp"
#include "viewer/layers/volume/transfer_function.hpp"
#include "viewer/layers/volume/volume_look.hpp"
#include "viewer/work/questions.hpp"

namespace skde {

struct DensityOptions;

}  // namespace skde

namespace skde::view {

/// The colours of panels and ground.
enum class Theme { dark, light };

inline constexpr Words<Theme, 2> kThemes{{{"dark", Theme::dark}, {"light", Theme::light}}};

/// The ground of pictures that are written: that of the theme, or none, for a PNG with opacities.
enum class Ground { theme, dark, light, transparent };

inline constexpr Words<Ground, 4> kGrounds{{{"theme", Ground::theme},
                                            {"dark", Ground::dark},
                                            {"light", Ground::light},
                                            {"transparent", Ground::transparent}}};

/// The format of pictures that F12 writes. In SVG and PDF axes and letters are shapes.
enum class PictureFormat { png, svg, pdf };

inline constexpr Words<PictureFormat, 3> kPictureFormats{
    {{"png", PictureFormat::png}, {"svg", PictureFormat::svg}, {"pdf", PictureFormat::pdf}}};

inline constexpr int kLeastPictureSide = 16, kMostPictureSide = 16384;  // pixels

/// The look of pictures: theme, ground, title and decorations, and the format and size that F12
/// writes.
struct Appearance {
  Theme theme = Theme::dark;
  Ground ground = Ground::theme;
  std::string title;  ///< above the views; may be empty
  bool axes = true;   ///< box, ticks and captions
  bool bar = true;    ///< colour bar
  bool mass = true;   ///< share of the mass in the box
  bool triad = true;  ///< directions of the axes
  PictureFormat format = PictureFormat::png;
  std::array<int, 2> size{};  ///< pixels, kLeastPictureSide to kMostPictureSide; 0: as the views

  friend bool operator==(const Appearance&, const Appearance&) = default;
};

/// Returns the theme of pictures that are written. A transparent one has the inks of its theme.
inline Theme picture_theme(const Appearance& appearance) {
  if (appearance.ground == Ground::dark) return Theme::dark;
  return appearance.ground == Ground::light ? Theme::light : appearance.theme;
}

/// The views of the picture: the volume, the method of one sample beside it, or only the method; or
/// three flat sections with the volume.
enum class ViewLayout { method, volume, both, slices };

inline constexpr Words<ViewLayout, 4> kViewLayouts{{{"method", ViewLayout::method},
                                                    {"volume", ViewLayout::volume},
                                                    {"both", ViewLayout::both},
                                                    {"slices", ViewLayout::slices}}};

/// Returns true if a layout shows the method.
inline constexpr bool shows_method(ViewLayout layout) {
  return layout == ViewLayout::method || layout == ViewLayout::both;
}

/// How lengths are drawn along axes of different units. `alike` draws a unit equally long along all
/// axes; `fit` makes the box a cube; `automatic` fits only boxes with very different edges.
enum class Proportions { automatic, alike, fit };

inline constexpr Words<Proportions, 3> kProportions{
    {{"auto", Proportions::automatic}, {"true", Proportions::alike}, {"fit", Proportions::fit}}};

/// Returns true if lengths along the axes can be drawn so many times as long.
inline bool are_factors(Vec3 factors) {
  const auto fits = [](double factor) { return factor >= 1e-6 && factor <= 1e6; };
  return fits(factors.x) && fits(factors.y) && fits(factors.z);
}

inline constexpr Words<RenderMode, 3> kRenderModes{{{"composite", RenderMode::composite},
                                                    {"maximum", RenderMode::maximum},
                                                    {"isosurface", RenderMode::isosurface}}};

inline constexpr Words<EllipsoidsShown, 3> kEllipsoidsShown{{{"off", EllipsoidsShown::off},
                                                             {"under", EllipsoidsShown::under},
                                                             {"alone", EllipsoidsShown::alone}}};

/// How the picture is divided among the panels and the two views.
struct Division {
  static constexpr double kLeastMethod = 0.1, kMostMethod = 0.9;
  static constexpr double kLeastPanels = 250, kMostPanels = 4000;

  double method = 0.4;       ///< share of the views' longer side that the method takes beside the
                             ///< volume
  double panels = 320;       ///< width of the side window, in pixels at scale 1
  bool panels_shown = true;  ///< whether the side window is shown where there is room for it

  void set_method(double share) { method = std::clamp(share, kLeastMethod, kMostMethod); }

  friend bool operator==(const Division&, const Division&) = default;
};

/// How the stacks of the method are seen.
struct MethodState {
  static constexpr double kLeastApart = 1, kMostApart = 20;
  double apart = 1;    ///< distance of slices, relative to the true one
  Camera camera;       ///< see MethodLook
  bool plays = false;  ///< whether a window goes on by itself, slice by slice and sample by sample

  /// Scales the distance of slices, within its bounds.
  void draw_apart(double factor) { apart = std::clamp(apart * factor, kLeastApart, kMostApart); }

  friend bool operator==(const MethodState&, const MethodState&) = default;
};

/// Returns true if each sample has a kernel of its own, not a factor on the common one.
inline bool have_own_kernels(const io::ColumnSelection& columns) {
  return columns.shaped() && columns.width_form != io::WidthForm::factor;
}

/// Lengths or a matrix determine all of H; an h or a rule needs a form.
inline bool has_form(const BandwidthSpec& spec) {
  return std::holds_alternative<BandwidthRule>(spec.bandwidth) ||
         std::holds_alternative<double>(spec.bandwidth);
}

inline constexpr const char* kUsualService = "http://127.0.0.1:8080/";

/// Everything that determines the picture: the cloud, its density, and how both are drawn.
struct ViewState {
  ViewState();  // not inline, or g++ 12 warns wherever one is created

  CloudFiles cloud;           ///< of points, or a single volume file
  std::uint64_t reading = 0;  ///< how often the files were reloaded; not kept in files
  std::string units;          ///< of the coordinates

  TimeWindow time;  ///< of the rows that are shown

  DensityRequest density;

  TransferFunction transfer;
  bool axis_follows_density = true;  ///< whether the axis ends at the peak of every new density
  RenderMode mode = RenderMode::composite;
  bool gradient_shading = true;
  double isovalue = 0.5;  ///< as a share of the axis
  /// Shares of the mass that nested surfaces hold, at most kMostSurfaces; empty: one surface, that
  /// of the isovalue.
  std::vector<double> masses;
  double quality = 1;  ///< samples of a ray per cell, at rest
  Clip clip;           ///< what is cut away of volume, samples and ellipsoids

  ViewLayout layout = ViewLayout::volume;
  Division division;
  Appearance appearance;
  Camera camera;
  Proportions proportions = Proportions::automatic;
  Vec3 axis_factors{1, 1, 1};  ///< above 0: how many times longer lengths are drawn
  std::optional<std::array<bool, 3>> flipped{};  ///< axes drawn in the opposite direction; none:
                                                 ///< see drawn_flips()
  bool show_points = false;
  bool show_slices = true;        ///< of the chosen sample, over the volume
  bool show_full_slices = false;  ///< whether the method is fitted to the grid, not the kernel
  std::int64_t sample = 0;        ///< index of the chosen sample
  std::int64_t slice = -1;        ///< z index in the grid; -1: through the sample
  MethodState method;
  EllipsoidsShown ellipsoids = EllipsoidsShown::off;
  std::int64_t member = -1;  ///< index of the chosen ellipsoid; -1: none

  bool show_probe = false;   ///< reads the volume under the mouse; clicks pin places
  std::vector<Vec3> pins{};  ///< places (world units) that the probe has read

  ScoreShown score = ScoreShown::off;  ///< curve under the slider of h
  Sections sections;
  CompareState compare;
  PointLook point_look;                       ///< of the samples, if they are shown
  std::optional<OutlinedPlaces> selection{};  ///< of samples, by an outline on the picture
  std::vector<OutlinedPlaces> within{};       ///< only samples within all of these are summed

  std::string service{};  ///< whose page can show the view; empty: the usual one
  bool linked = false;    ///< whether camera and scale are those of all such windows

  friend bool operator==(const ViewState&, const ViewState&) = default;
};

/// Returns the density's part of a state, in the form that skde density uses.
DensityOptions density_of(const ViewState& state);
/// Replaces the density's part of a state. Throws Error(usage) if it asks for several GPUs.
void keep_density(DensityOptions density, ViewState& state);

/// Follows a change of the mode: isosurfaces start with the first masses.
void start_mode(ViewState& state);

/// Returns the h of the density beside if it differs by that; else 0.
double compared_h(const CompareState& compare);
/// Shows beside the density that of another h: flat, unless such a one is shown already.
void compare_bandwidths(ViewState& state, double h);

/// Leaves a layout that shows the method, for what has no samples to show it on.
void show_volume(ViewState& state);

/// Makes the density that of the selected samples alone, and forgets the selection.
void estimate_on_selection(ViewState& state);

/// Copies what determines the density: the samples that are summed, and how.
void take_request(const ViewState& from, ViewState& state);

/// Returns the state that these files are first opened with, with the columns that were chosen.
ViewState reset_all(const ViewState& state);

/// Returns true if both states request the same density of the same samples.
bool same_density(const ViewState& a, const ViewState& b);

}  // namespace skde::view
