#include "core/cloud/synthetic_cloud.hpp"

#include <array>
#include <cmath>

#include "core/cloud/counter_random.hpp"

namespace skde {
namespace {

enum Stream : std::uint64_t {  // the numbers define the clouds: never reuse one
  kUniformSamples = 1,
  kGaussianShapes = 2,
  kGaussianSamples = 3,
  kForestGround = 4,
  kForestTrees = 5,
  kForestSamples = 6,
  kFilament = 101,
  kSurface = 102,
  kClump = 103,
  // 104: weights of src/bench/measure/benchmark_case.cpp
};

/// Returns the samples [first, first + count) of a cloud, each made by make(draws, index).
template <class Make>
Samples make_cloud(const CounterRandom& random, std::uint64_t first, std::uint64_t count,
                   Make&& make) {
  Samples cloud;
  cloud.xyz.resize(3 * count);
  for (std::uint64_t i = 0; i < count; ++i) {
    Draws draws = random.at(first + i);
    const Vec3 point = make(draws, first + i);
    for (int axis = 0; axis < 3; ++axis)
      cloud.xyz[3 * i + static_cast<std::uint64_t>(axis)] = point[axis];
  }
  return cloud;
}

Vec3 scattered(Vec3 point, Draws& draws, double deviation) {
  for (int axis = 0; axis < 3; ++axis) point[axis] += deviation * draws.normal();
  return point;
}

struct Gaussian {
  Vec3 centre, deviation;
};

std::array<Gaussian, 5> five_gaussian_shapes(std::uint64_t seed) {
  const CounterRandom random(seed, kGaussianShapes);
  std::array<Gaussian, 5> shapes;
  for (std::size_t g = 0; g < shapes.size(); ++g) {
    Draws draws = random.at(g);
    for (int axis = 0; axis < 3; ++axis) shapes[g].centre[axis] = draws.uniform(-1, 1);
    for (int axis = 0; axis < 3; ++axis)
      shapes[g].deviation[axis] = std::sqrt(1 - draws.uniform());  // of a variance in (0, 1]
  }
  return shapes;
}

constexpr double kPlotWidth = 120, kPlotDepth = 90;      // m, along x and along y
constexpr Vec3 kPlotOrigin{450320.0, 5104180.0, 612.0};  // easting, northing, elevation in m
constexpr int kTreesAlongX = 17, kTreesAlongY = 12;      // one tree per cell of a jittered raster
constexpr double kGroundShare = 0.45, kCrownShare = 0.45, kStemShare = 0.06;
constexpr double kGroundNoise = 0.03, kCrownNoise = 0.06;  // standard deviations in m

/// A hill or hollow: height / (1 + (distance / radius)^2), rational so that it needs no libm.
struct Knoll {
  double x, y, height, radius;
};

struct Tree {
  double x, y, ground;  ///< foot of the stem, m from the plot's origin
  double height, base;  ///< top and lower end of the crown above the ground, m
  double radius;        ///< of the crown, m
  double stem;          ///< radius of the stem, m
  bool conifer;         ///< a cone; else an ellipsoid
};

/// Returns a point on the unit circle, uniform in angle.
std::array<double, 2> direction2(Draws& draws) {
  const double x = draws.normal(), y = draws.normal();
  const double length = std::sqrt(x * x + y * y);
  if (length == 0) return {1, 0};
  return {x / length, y / length};
}

class Forest {
 public:
  explicit Forest(std::uint64_t seed) {
    const CounterRandom ground(seed, kForestGround), trees(seed, kForestTrees);
    for (std::size_t k = 0; k < knolls_.size(); ++k) knolls_[k] = make_knoll(ground.at(k));
    for (int row = 0; row < kTreesAlongY; ++row)
      for (int column = 0; column < kTreesAlongX; ++column) {
        const auto t =
            static_cast<std::size_t>(row) * kTreesAlongX + static_cast<std::size_t>(column);
        trees_[t] = make_tree(trees.at(t), column, row);
      }
  }

  /// Returns one scanner return, in m from the plot's origin.
  Vec3 sample(Draws& draws) const {
    const double kind = draws.uniform();
    if (kind < kGroundShare) return over_ground(draws, kGroundNoise * draws.normal());
    const Tree& tree = trees_[draws.word() % trees_.size()];
    if (kind < kGroundShare + kCrownShare)
      return tree.conifer ? on_cone(tree, draws) : on_ellipsoid(tree, draws);
    if (kind < kGroundShare + kCrownShare + kStemShare) return on_stem(tree, draws);
    const double u = draws.uniform();
    return over_ground(draws, 1.8 * u * u);  // understorey: low shrubs, dense near the ground
  }

 private:
  static Knoll make_knoll(Draws draws) {
    Knoll knoll{};
    knoll.x = draws.uniform(0, kPlotWidth);
    knoll.y = draws.uniform(0, kPlotDepth);
    knoll.height = draws.uniform(-2, 2);
    knoll.radius = draws.uniform(12, 30);
    return knoll;
  }

  Tree make_tree(Draws draws, int column, int row) const {
    constexpr double kJitter = 0.7;  // of the raster's cell size
    Tree tree{};
    tree.x = (column + 0.5 + kJitter * draws.uniform(-0.5, 0.5)) * (kPlotWidth / kTreesAlongX);
    tree.y = (row + 0.5 + kJitter * draws.uniform(-0.5, 0.5)) * (kPlotDepth / kTreesAlongY);
    tree.ground = ground_at(tree.x, tree.y);
    tree.conifer = draws.uniform() < 0.6;
    tree.height = tree.conifer ? draws.uniform(16, 28) : draws.uniform(10, 20);
    tree.base = tree.height * (tree.conifer ? draws.uniform(0.2, 0.4) : draws.uniform(0.3, 0.5));
    tree.radius =
        tree.height * (tree.conifer ? draws.uniform(0.09, 0.14) : draws.uniform(0.16, 0.24));
    tree.stem = 0.009 * tree.height;
    return tree;
  }

  double ground_at(double x, double y) const {
    double height = 0.11 * x + 0.06 * y;
    for (const Knoll& knoll : knolls_) {
      const double dx = (x - knoll.x) / knoll.radius, dy = (y - knoll.y) / knoll.radius;
      height += knoll.height / (1 + dx * dx + dy * dy);
    }
    return height;
  }

  Vec3 over_ground(Draws& draws, double height) const {
    const double x = draws.uniform(0, kPlotWidth), y = draws.uniform(0, kPlotDepth);
    return {x, y, ground_at(x, y) + height};
  }

  // The height follows the cone's area; the foliage thins out towards the stem.
  static Vec3 on_cone(const Tree& tree, Draws& draws) {
    const double rise = 1 - std::sqrt(draws.uniform()), depth = draws.uniform();
    const double radius = tree.radius * (1 - rise) * (1 - 0.4 * depth * depth);
    const std::array<double, 2> around = direction2(draws);
    return scattered({tree.x + radius * around[0], tree.y + radius * around[1],
                      tree.ground + tree.base + rise * (tree.height - tree.base)},
                     draws);
  }

  // As seen from above: three of four returns lie on the upper half.
  static Vec3 on_ellipsoid(const Tree& tree, Draws& draws) {
    const std::array<double, 2> around = direction2(draws);
    double up = draws.uniform();
    const double ring = std::sqrt(1 - up * up);
    if (draws.uniform() < 0.25) up = -up;
    const double depth = draws.uniform(), shell = 1 - 0.3 * depth * depth;
    const double radius = tree.radius * ring * shell;
    const double half_height = 0.5 * (tree.height - tree.base);
    return scattered({tree.x + radius * around[0], tree.y + radius * around[1],
                      tree.ground + tree.base + half_height * (1 + shell * up)},
                     draws);
  }

  static Vec3 on_stem(const Tree& tree, Draws& draws) {
    const std::array<double, 2> around = direction2(draws);
    return {tree.x + tree.stem * around[0], tree.y + tree.stem * around[1],
            tree.ground + tree.base * draws.uniform()};
  }

  static Vec3 scattered(Vec3 point, Draws& draws) {
    for (int axis = 0; axis < 3; ++axis) point[axis] += kCrownNoise * draws.normal();
    return point;
  }

  std::array<Knoll, 8> knolls_;
  std::array<Tree, kTreesAlongX * kTreesAlongY> trees_;
};

}  // namespace

Samples make_five_gaussians(std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  const std::array<Gaussian, 5> shapes = five_gaussian_shapes(seed);
  return make_cloud(CounterRandom(seed, kGaussianSamples), first, count,
                    [&](Draws& draws, std::uint64_t index) {
                      const Gaussian& shape = shapes[index % shapes.size()];
                      Vec3 point = shape.centre;
                      for (int axis = 0; axis < 3; ++axis)
                        point[axis] += shape.deviation[axis] * draws.normal();
                      return point;
                    });
}

Box benchmark_box() { return {{-5, -5, -5}, {5, 5, 5}}; }

Samples make_uniform_cloud(std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  return make_cloud(CounterRandom(seed, kUniformSamples), first, count,
                    [](Draws& draws, std::uint64_t) {
                      Vec3 point;
                      for (int axis = 0; axis < 3; ++axis) point[axis] = draws.uniform();
                      return point;
                    });
}

Samples make_filament(std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  // The curve of the Chebyshev polynomials T1, T2 and T3.
  return make_cloud({seed, kFilament}, first, count, [](Draws& draws, std::uint64_t) {
    const double t = draws.uniform(-1, 1);
    return scattered({4.5 * t, 3 * (4 * t * t * t - 3 * t), 3 * (2 * t * t - 1)}, draws, 0.05);
  });
}

Samples make_surface(std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  return make_cloud({seed, kSurface}, first, count, [](Draws& draws, std::uint64_t) {
    const double x = draws.uniform(-4.5, 4.5), y = draws.uniform(-4.5, 4.5);
    return scattered({x, y, (x * x - y * y) / 8}, draws, 0.02);
  });
}

Samples make_clump(std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  return make_cloud({seed, kClump}, first, count, [](Draws& draws, std::uint64_t) {
    if (draws.uniform() < 0.9) return scattered({0.7, -0.4, 0.3}, draws, 0.05);
    const double half = benchmark_box().extent().x / 2;
    Vec3 point = benchmark_box().centre();
    for (int axis = 0; axis < 3; ++axis) point[axis] += draws.uniform(-half, half);
    return point;
  });
}

Samples make_forest(std::uint64_t seed, std::uint64_t first, std::uint64_t count) {
  const Forest forest(seed);
  return make_cloud(
      CounterRandom(seed, kForestSamples), first, count,
      [&](Draws& draws, std::uint64_t) { return kPlotOrigin + forest.sample(draws); });
}

}  // namespace skde
