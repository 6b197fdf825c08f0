#include "core/space/space.hpp"

#include <cmath>
#include <random>

#include "core/space/grid.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;

namespace {

double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// A matrix of values of all sizes up to 1, times `scale`.
Symmetric3 random_matrix(std::mt19937_64& random, double scale) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto value = [&] { return scale * std::pow(uniform(random), 3); };
  return {value(), value(), value(), value(), value(), value()};
}

double size_of(const Symmetric3& a) {
  return std::sqrt(a.xx * a.xx + a.yy * a.yy + a.zz * a.zz +
                   2 * (a.xy * a.xy + a.xz * a.xz + a.yz * a.yz));
}

/// Checks that eigenvalues ascend, eigenvectors v are orthonormal, and A v = value v.
void check_eigen(const Symmetric3& a) {
  INFO(a.xx << ' ' << a.xy << ' ' << a.xz << ' ' << a.yy << ' ' << a.yz << ' ' << a.zz);
  const Eigen3 eigen = eigen_decomposition(a);
  CHECK(eigen.values[0] <= eigen.values[1]);
  CHECK(eigen.values[1] <= eigen.values[2]);
  for (int k = 0; k < 3; ++k) {
    const Vec3 v = eigen.vectors[k];
    const Vec3 mapped{a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
                      a.xz * v.x + a.yz * v.y + a.zz * v.z};
    for (int axis = 0; axis < 3; ++axis)
      CHECK(std::abs(mapped[axis] - eigen.values[k] * v[axis]) <= 1e-14 * size_of(a));
    for (int l = 0; l < 3; ++l)
      CHECK(dot(v, eigen.vectors[l]) == Approx(k == l ? 1 : 0).margin(1e-14));
  }
}

}  // namespace

TEST_CASE("a symmetric matrix by row and column, trace, sum and multiple", "[symmetric3]") {
  const Symmetric3 a{1, 2, 3, 4, 5, 6};
  const double rows[3][3] = {{1, 2, 3}, {2, 4, 5}, {3, 5, 6}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) CHECK(a(i, j) == rows[i][j]);
  CHECK(a.trace() == 11);
  CHECK(a + Symmetric3{10, 20, 30, 40, 50, 60} == Symmetric3{11, 22, 33, 44, 55, 66});
  CHECK(2.0 * a == Symmetric3{2, 4, 6, 8, 10, 12});
  CHECK(Symmetric3::diagonal(7, 8, 9) == Symmetric3{7, 0, 0, 8, 0, 9});
}

TEST_CASE("eigenvectors are orthonormal and mapped to multiples of themselves", "[symmetric3]") {
  std::mt19937_64 random(2);
  for (double scale : {1.0, 1e-12, 1e12})
    for (int n = 0; n < 100; ++n) check_eigen(random_matrix(random, scale));
  check_eigen({});
  check_eigen(Symmetric3::diagonal(2, 2, 2));
  check_eigen(Symmetric3::diagonal(3, -1, 2));
  check_eigen({1, 1, 1, 1, 1, 1});
  check_eigen({2, 1, 0, 2, 0, 3});
  check_eigen({1e8, 1, 1e-4, 1, 1e-6, 1e-8});
}

TEST_CASE("eigenvalues of matrices that are known", "[symmetric3]") {
  const Eigen3 diagonal = eigen_decomposition(Symmetric3::diagonal(3, -1, 2));
  CHECK(diagonal.values == std::array<double, 3>{-1, 2, 3});
  CHECK(std::abs(diagonal.vectors[0].y) == 1);
  CHECK(std::abs(diagonal.vectors[2].x) == 1);
  const Eigen3 chain = eigen_decomposition({2, -1, 0, 2, -1, 2});
  CHECK(chain.values[0] == Approx(2 - std::sqrt(2.0)));
  CHECK(chain.values[1] == Approx(2));
  CHECK(chain.values[2] == Approx(2 + std::sqrt(2.0)));
  CHECK(std::abs(chain.vectors[0].y) == Approx(std::sqrt(0.5)));
}

TEST_CASE("positive definite is judged by Sylvester's minors", "[symmetric3]") {
  std::mt19937_64 random(3);
  int definite = 0;
  for (int n = 0; n < 500; ++n) {
    const Symmetric3 a = random_matrix(random, 1) + Symmetric3::diagonal(0.4, 0.4, 0.4);
    const double minor = a.xx * a.yy - a.xy * a.xy;
    const double determinant =
        a.zz * minor - a.yz * (a.xx * a.yz - a.xy * a.xz) + a.xz * (a.xy * a.yz - a.yy * a.xz);
    const bool expected = a.xx > 0 && minor > 0 && determinant > 0;
    INFO(a.xx << ' ' << a.xy << ' ' << a.xz << ' ' << a.yy << ' ' << a.yz << ' ' << a.zz);
    CHECK(is_positive_definite(a) == expected);
    definite += expected;
  }
  CHECK(definite > 50);
  CHECK(definite < 450);
}

TEST_CASE("positive definite does not depend on the units of the axes", "[symmetric3]") {
  CHECK(is_positive_definite(Symmetric3::diagonal(1e-20, 1, 1e20)));
  CHECK(is_positive_definite({1e-12, 0.5e-6, 0, 1, 0, 1e12}));
  CHECK_FALSE(is_positive_definite({1e-12, 1e-6, 0, 1, 0, 1e12}));
  // The correlation 1 - 5e-11 lies between the tolerances 1e-10 and 1e-14.
  const Symmetric3 narrow{1, 1 - 5e-11, 0, 1, 0, 1};
  CHECK_FALSE(is_positive_definite(narrow));
  CHECK(is_positive_definite(narrow, 1e-14));
}

TEST_CASE("matrices that are not positive definite", "[symmetric3]") {
  CHECK_FALSE(is_positive_definite({}));
  CHECK_FALSE(is_positive_definite(Symmetric3::diagonal(1, 1, 0)));
  CHECK_FALSE(is_positive_definite(Symmetric3::diagonal(-1, 1, 1)));
  for (double bad : {double(NAN), double(INFINITY), -double(INFINITY)}) {
    CHECK_FALSE(is_positive_definite({bad, 0, 0, 1, 0, 1}));
    CHECK_FALSE(is_positive_definite({1, bad, 0, 1, 0, 1}));
    CHECK_FALSE(is_positive_definite({1, 0, bad, 1, 0, 1}));
    CHECK_FALSE(is_positive_definite({1, 0, 0, bad, 0, 1}));
    CHECK_FALSE(is_positive_definite({1, 0, 0, 1, bad, 1}));
    CHECK_FALSE(is_positive_definite({1, 0, 0, 1, 0, bad}));
  }
}

TEST_CASE("boundaries are a word for all axes or one for each", "[boundary]") {
  const Boundaries mixed{Boundary::periodic, Boundary::none, Boundary::reflect};
  CHECK(parse_boundaries("periodic,none,reflect") == mixed);
  CHECK(boundaries_text(mixed) == "periodic,none,reflect");
  for (const auto& [word, boundary] : kBoundaries) {
    CHECK(parse_boundaries(word) == Boundaries{boundary, boundary, boundary});
    CHECK(boundaries_text({boundary, boundary, boundary}) == word);
    CHECK(has_boundary({Boundary::none, boundary, Boundary::none}) == (word != "none"));
  }
  for (const char* const bad :
       {"", "mirror", "reflect,none", "none,none,none,none", "none,,none"}) {
    const Error error = test::thrown_error([&] { parse_boundaries(bad); });
    CHECK(error.kind() == ErrorKind::usage);
    CHECK(error.parameter() == "boundary");
  }
  CHECK(test::thrown_error([] { parse_boundaries("reflct"); }).suggestion().find("reflect") !=
        std::string::npos);
}

TEST_CASE("a place on a face that sums have rounded is between the faces", "[boundary]") {
  CHECK(is_between(0.1 + 0.2, 0, 0.3));
  CHECK(is_between(1e6, 1e6 - 1, 1e6 * (1 - 1e-16)));
  CHECK_FALSE(is_between(0.3 + 1e-12, 0, 0.3));
}
