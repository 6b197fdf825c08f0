#include "viewer/layers/space/scene_overlay.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/report/error.hpp"

namespace skde::view {
namespace {

constexpr double kTickPixels = 6, kLabelGap = 3;
constexpr std::array kCaptionShares{0.2, -0.2, 0.4, -0.4, 0.6, -0.6, 0.8, -0.8, 1.0, -1.0};
constexpr int kTickIntervals = 5;
constexpr double kTiePixels = 0.01;  // smaller differences are rounding and must not move ticks
constexpr double kTriadPixels = 34, kTriadMargin = 60, kLetterGap = 4, kRoomForTriad = 360;
constexpr int kLoopSegments = 72;
constexpr double kLeastStretch = 1.005;  // smallest stretch that is mentioned

/// An edge of the box along `axis`, at the given signs of the other two axes.
struct BoxEdge {
  int axis, b, c;
  double sign_b, sign_c;
  bool shows_b, shows_c;  ///< whether the faces at b and c are seen from outside

  glm::dvec3 place(glm::dvec3 half, double along) const {
    glm::dvec3 result;
    result[axis] = along;
    result[b] = sign_b * half[b];
    result[c] = sign_c * half[c];
    return result;
  }
  bool on_outline() const { return shows_b != shows_c; }
  /// Returns the direction away from the visible face, in its plane.
  glm::dvec3 outwards() const {
    glm::dvec3 result(0);
    if (shows_b)
      result[c] = sign_c;
    else
      result[b] = sign_b;
    return result;
  }
};

std::vector<BoxEdge> edges_of(glm::dvec3 half, glm::dvec3 eye) {
  std::vector<BoxEdge> edges;
  for (int axis = 0; axis < 3; ++axis) {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    for (const double sb : {-1.0, 1.0})
      for (const double sc : {-1.0, 1.0})
        edges.push_back({axis, b, c, sb, sc, sb * eye[b] > half[b], sc * eye[c] > half[c]});
  }
  return edges;
}

/// Returns the outline's edge for the ticks of an axis: the lowest, or for z the leftmost.
const BoxEdge* ticked_edge(const std::vector<BoxEdge>& edges, int axis, glm::dvec3 half,
                           const Perspective& perspective) {
  const BoxEdge* best = nullptr;
  double best_place = 0;
  for (const BoxEdge& edge : edges) {
    if (edge.axis != axis || !edge.on_outline()) continue;
    const auto pixel = perspective.project(edge.place(half, 0));
    if (!pixel) continue;
    const double place = axis == 2 ? -pixel->x : pixel->y;
    if (best != nullptr && place <= best_place + kTiePixels) continue;
    best = &edge;
    best_place = place;
  }
  return best;
}

/// Draws ticks and labels of one axis.
struct TickPen {
  const SceneFrame& frame;
  const Perspective& perspective;
  glm::vec4 color;
  double pixel_scale;
  SceneLines& result;

  /// Returns the direction on the screen from a place to another one nearby.
  std::optional<glm::dvec2> direction(glm::dvec3 place, glm::dvec3 way) const {
    const auto at = perspective.project(place), out = perspective.project(place + 0.01 * way);
    if (!at || !out) return std::nullopt;
    const glm::dvec2 found = glm::dvec2(*out) - glm::dvec2(*at);
    const double length = glm::length(found);
    return length > 0 ? std::optional(found / length) : std::nullopt;
  }

  /// Returns a label beyond the tick at a place, perpendicular to the edge on the screen.
  std::optional<SceneLabel> label(const BoxEdge& edge, glm::dvec3 place, std::string text) const {
    glm::dvec3 along(0);
    along[edge.axis] = 1;
    const auto out = direction(place, edge.outwards()), line = direction(place, along);
    if (!out || !line) return std::nullopt;
    glm::dvec2 away{-line->y, line->x};
    if (glm::dot(away, *out) < 0) away = -away;
    const glm::dvec2 at = glm::dvec2(*perspective.project(place)) +
                          (*out * kTickPixels + away * kLabelGap) * pixel_scale;
    return SceneLabel{at, std::move(text), color, away};
  }

  void tick(glm::dvec3 place, glm::dvec3 outwards) const {
    const auto at = perspective.project(place);
    if (!at) return;
    const double length = kTickPixels * pixel_scale / perspective.pixels_at(at->z);
    result.before.push_back({glm::vec3(place), 1.2F, glm::vec3(place + length * outwards), color});
  }

  /// Returns the axis' caption with its stretch and direction, followed by shorter versions.
  std::vector<std::string> captions(int axis, const AxisTicks& ticks,
                                    const AxisTexts& texts) const {
    const std::string name = texts.name(static_cast<std::size_t>(axis));
    const std::string text = axis_caption(name, ticks, texts.units);
    const double stretch = frame.stretch(axis);
    const bool down = axis == 2 && frame.unit().z < 0;
    if (stretch < kLeastStretch && !down) return {text};
    if (stretch < kLeastStretch) return {text + "\ndownwards", text};
    return {fmt::format("{}\nstretched {:.3g}\u00d7{}", text, stretch, down ? ", downwards" : ""),
            fmt::format("{}\n{:.3g}\u00d7", text, stretch),
            fmt::format("{} {:.3g}\u00d7", text, stretch)};
  }

  void draw(const BoxEdge& edge, const Box& bounds, const AxisTexts& texts) const {
    const glm::dvec3 half = frame.half(), outwards = edge.outwards();
    const AxisTicks ticks =
        choose_ticks(bounds.lower[edge.axis], bounds.upper[edge.axis], kTickIntervals);
    for (std::size_t i = 0; i < ticks.positions.size(); ++i) {
      Vec3 world = bounds.lower;
      world[edge.axis] = ticks.positions[i];
      const glm::dvec3 place = edge.place(half, frame.to_scene(world)[edge.axis]);
      tick(place, outwards);
      if (auto found = label(edge, place, ticks.labels[i]))
        result.labels.push_back(std::move(*found));
    }
    std::vector<std::string> words = captions(edge.axis, ticks, texts);
    auto named = label(edge, edge.place(half, 0), words.front());
    if (!named) return;
    named->shorter.assign(words.begin() + 1, words.end());
    named->beyond = *std::ranges::max_element(ticks.labels, {}, &std::string::size);
    for (const double share : kCaptionShares)
      if (const auto other = label(edge, edge.place(half, share * half[edge.axis]), ""))
        named->elsewhere.push_back(other->pixel);
    result.labels.push_back(std::move(*named));
  }
};

constexpr float kOutlineWidth = 1.4F;

using Polygon = std::vector<glm::dvec3>;

/// Returns the part of a convex polygon where dot(plane.xyz, place) <= plane.w (Sutherland and
/// Hodgman, Reentrant polygon clipping, 1974).
Polygon part_before(const Polygon& polygon, glm::dvec4 plane) {
  const auto beyond = [plane](glm::dvec3 place) {
    return glm::dot(glm::dvec3(plane), place) - plane.w;
  };
  Polygon part;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const glm::dvec3 from = polygon[i], to = polygon[(i + 1) % polygon.size()];
    const double a = beyond(from), b = beyond(to);
    if (a <= 0) part.push_back(from);
    if ((a <= 0) != (b <= 0)) part.push_back(from + a / (a - b) * (to - from));
  }
  return part;
}

/// Returns a square on a plane that is larger than the scene.
Polygon square_on(glm::dvec4 plane) {
  constexpr double kHalf = 4;  // scene units
  const glm::dvec3 normal(plane), size = glm::abs(normal);
  glm::dvec3 aside(0);
  aside[size.x <= size.y && size.x <= size.z ? 0 : size.y <= size.z ? 1 : 2] = 1;
  const glm::dvec3 u = kHalf * glm::normalize(glm::cross(normal, aside)), v = glm::cross(normal, u);
  const glm::dvec3 middle = plane.w * normal;
  return {middle - u - v, middle + u - v, middle + u + v, middle - u + v};
}

/// Returns the outward planes of a box between two corners in scene units.
std::vector<glm::dvec4> planes_of(glm::dvec3 lower, glm::dvec3 upper) {
  std::vector<glm::dvec4> planes;
  for (int axis = 0; axis < 3; ++axis) {
    glm::dvec4 low(0, 0, 0, -lower[axis]), high(0, 0, 0, upper[axis]);
    low[axis] = -1;
    high[axis] = 1;
    planes.insert(planes.end(), {low, high});
  }
  return planes;
}

/// Half spaces in scene units, and the planes of those that a clip adds to a box.
struct Walls {
  std::vector<glm::dvec4> all, added;
};

/// Returns no walls if the clip leaves nothing of the box.
Walls walls_of(const Clip& clip, const SceneFrame& frame) {
  glm::dvec3 lower = -frame.half(), upper = frame.half();
  if (clip.box) {
    const glm::dvec3 one = frame.to_scene(clip.box->lower), other = frame.to_scene(clip.box->upper);
    lower = glm::max(lower, glm::min(one, other));
    upper = glm::min(upper, glm::max(one, other));
  }
  if (glm::any(glm::lessThanEqual(upper, lower))) return {};
  Walls walls{planes_of(lower, upper), {}};
  if (clip.box) walls.added = walls.all;
  if (clip.plane) {
    walls.all.push_back(scene_plane(*clip.plane, frame));
    walls.added.push_back(walls.all.back());
  }
  return walls;
}

/// Adds the outline of what the walls leave of a polygon, other than those in `face`.
void add_outline(Polygon polygon, const Walls& walls, glm::dvec4 face, glm::vec4 color,
                 std::vector<LineSegment>& lines) {
  for (const glm::dvec4& wall : walls.all)
    if (wall != face) polygon = part_before(polygon, wall);
  for (std::size_t i = 0; i < polygon.size(); ++i)
    lines.push_back({glm::vec3(polygon[i]), kOutlineWidth,
                     glm::vec3(polygon[(i + 1) % polygon.size()]), color});
}

}  // namespace

SceneLines box_lines(const Box& bounds, const SceneFrame& frame, const Perspective& perspective,
                     const AxisTexts& texts, glm::vec4 color, double pixel_scale) {
  SceneLines lines;
  const glm::dvec3 half = frame.half();
  const std::vector<BoxEdge> edges = edges_of(half, perspective.eye());
  for (const BoxEdge& edge : edges) {
    const bool before = edge.shows_b || edge.shows_c;
    glm::vec4 shade = color;
    if (!before) shade.a *= 0.6F;
    (before ? lines.before : lines.behind)
        .push_back({glm::vec3(edge.place(half, -half[edge.axis])), 1.2F,
                    glm::vec3(edge.place(half, half[edge.axis])), shade});
  }
  const TickPen pen{frame, perspective, color, pixel_scale, lines};
  for (int axis = 0; axis < 3; ++axis)
    if (const BoxEdge* edge = ticked_edge(edges, axis, half, perspective))
      pen.draw(*edge, bounds, texts);
  return lines;
}

bool has_room_for_triad(glm::ivec2 viewport, double pixel_scale) {
  return std::min(viewport.x, viewport.y) >= kRoomForTriad * pixel_scale;
}

AxesTriad axes_triad(const Perspective& perspective, double pixel_scale,
                     const std::array<glm::vec4, 3>& colors, const SceneFrame& frame,
                     const AxisTexts& texts) {
  const glm::dvec2 viewport(perspective.viewport());
  const glm::dvec2 centre = kTriadMargin * pixel_scale * glm::dvec2(1, 1);  // from below
  const auto clip = [&](glm::dvec2 pixel) {
    return glm::vec3(glm::vec2(2.0 * pixel / viewport - 1.0), 0);
  };
  AxesTriad triad;
  std::array<double, 3> depths{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    glm::dvec3 direction(0);
    direction[axis] = frame.unit()[axis] < 0 ? -1 : 1;
    depths[i] = glm::dot(direction, perspective.forward());
    const glm::dvec2 arm =
        kTriadPixels * pixel_scale *
        glm::dvec2(glm::dot(direction, perspective.right()), glm::dot(direction, perspective.up()));
    triad.lines.push_back({clip(centre), 2.5F, clip(centre + arm), colors[i]});
    // Beyond the end of the arm, so that a long name does not cover it.
    const double length = glm::length(arm);
    const glm::dvec2 away = length > 1 ? arm / length : glm::dvec2(0);
    const glm::dvec2 letter = centre + arm + kLetterGap * pixel_scale * away;
    triad.letters[i] = {
        {letter.x, viewport.y - letter.y}, texts.name(i), colors[i], {away.x, -away.y}};
    triad.letters[i].certain = true;
  }
  std::array<std::size_t, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return depths[a] > depths[b]; });
  triad.lines = {triad.lines[order[0]], triad.lines[order[1]], triad.lines[order[2]]};
  return triad;
}

std::vector<LineSegment> ellipsoid_lines(Vec3 centre, const Symmetric3& H, const SceneFrame& frame,
                                         glm::vec4 color) {
  if (!is_positive_definite(H))
    throw Error(ErrorKind::input, "the bandwidth matrix H must be positive definite",
                {"bandwidth", "give another `bandwidth`"});
  const SceneEllipsoid ellipsoid = scene_ellipsoid(centre, H, frame);
  std::vector<LineSegment> lines;
  for (std::size_t plane = 0; plane < 3; ++plane) {
    const glm::dvec3 a = ellipsoid.arms[plane], b = ellipsoid.arms[(plane + 1) % 3];
    const auto place = [&](int step) {
      const double angle = 2 * std::numbers::pi * step / kLoopSegments;
      return glm::vec3(ellipsoid.centre + std::cos(angle) * a + std::sin(angle) * b);
    };
    for (int step = 0; step < kLoopSegments; ++step)
      lines.push_back({place(step), 2, place(step + 1), color});
  }
  return lines;
}

std::vector<LineSegment> clip_lines(const Clip& clip, const SceneFrame& frame, glm::vec4 color) {
  const Walls walls = walls_of(clip, frame);
  std::vector<LineSegment> lines;
  for (const glm::dvec4& face : walls.added)
    add_outline(square_on(face), walls, face, color, lines);
  return lines;
}

std::vector<LineSegment> section_lines(Vec3 at, const Clip& clip, const SceneFrame& frame,
                                       const std::array<glm::vec4, 3>& colors) {
  const Walls walls = walls_of(clip, frame);
  std::vector<LineSegment> lines;
  if (walls.all.empty()) return lines;
  const glm::dvec3 place = frame.to_scene(at);
  for (int axis = 0; axis < 3; ++axis) {
    glm::dvec4 plane(0, 0, 0, place[axis]);
    plane[axis] = 1;
    const glm::vec4 color = colors[static_cast<std::size_t>(axis)];
    add_outline(square_on(plane), walls, plane, color, lines);
    glm::dvec3 along(0);
    along[axis] = 1;
    add_outline({place - along, place + along}, walls, plane, color, lines);
  }
  return lines;
}

SceneEllipsoid scene_ellipsoid(Vec3 centre, const Symmetric3& H, const SceneFrame& frame,
                               double least) {
  const glm::dvec3 u = frame.unit();
  const Eigen3 axes =
      eigen_decomposition({H.xx / (u.x * u.x), H.xy / (u.x * u.y), H.xz / (u.x * u.z),
                           H.yy / (u.y * u.y), H.yz / (u.y * u.z), H.zz / (u.z * u.z)});
  SceneEllipsoid ellipsoid{frame.to_scene(centre), {}};
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 v = axes.vectors[i];
    const double length = std::max(std::sqrt(std::max(axes.values[i], 0.0)), least);
    ellipsoid.arms[i] = length * glm::dvec3(v.x, v.y, v.z);
  }
  return ellipsoid;
}

std::optional<double> entry_of(const Ray& ray, const SceneEllipsoid& ellipsoid) {
  // In the frame of the arms the ellipsoid is the unit ball.
  glm::dvec3 origin, direction;
  for (int i = 0; i < 3; ++i) {
    const glm::dvec3 arm = ellipsoid.arms[static_cast<std::size_t>(i)];
    const double square = glm::dot(arm, arm);
    origin[i] = glm::dot(arm, ray.origin - ellipsoid.centre) / square;
    direction[i] = glm::dot(arm, ray.direction) / square;
  }
  const double square = glm::dot(direction, direction);
  const double nearest = -glm::dot(origin, direction) / square;
  const glm::dvec3 aside = origin + nearest * direction;
  const double chord = 1 - glm::dot(aside, aside);
  if (!(chord >= 0)) return std::nullopt;
  return nearest - std::sqrt(chord / square);
}

}  // namespace skde::view
