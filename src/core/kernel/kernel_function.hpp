#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/space/space.hpp"

namespace skde {

class Draws;  // core/cloud/counter_random.hpp

/// A row of the table of kernels, as values at run time.
struct KernelRow {
  std::string_view name;        ///< "epanechnikov"
  double (*profile)(double q);  ///< without the constant
  /// p if the profile is (1 - q)^p, which is a polynomial along a row of cells.
  std::optional<int> degree;
  double support = 0;             ///< sqrt(q) from which on the profile is 0; may be infinite
  double (*tail)(double radius);  ///< integral of the kernel beyond sqrt(q) = radius
  /// Bound on the error of a cut at sqrt(q) = radius, as a share of the peak of the density: the
  /// most that samples with one common kernel may have contributed from beyond the cut. In a hole
  /// that samples surround, this is many times the tail.
  double (*cut_error)(double radius);
  double (*convolution)(double q) = nullptr;  ///< of the kernel with itself; null: not known
  /// The logarithm of the profile; null for compact kernels.
  double (*log)(double q) = nullptr;
  /// The sqrt(q) at which that logarithm is -fall; null for compact kernels.
  double (*root_of_fall)(double fall) = nullptr;
  /// Draws a place with the kernel's density for H = I.
  Vec3 (*draw)(Draws&);
  /// Index in the table of the row that, times slope_factor, is the derivative of the profile by q.
  /// None if the profile is flat, or no row is its slope.
  std::optional<std::size_t> slope;
  double slope_factor = 0;     ///< 0 if there is no slope
  bool has_transform = false;  ///< its Fourier transform is known
  bool has_integers = false;   ///< integer sums know its profile
  /// True if the slope by q is unbounded at 0, so that q must not be a difference of squares.
  bool is_steep = false;
  double half_maximum = 0;  ///< sqrt(q) at which the profile is half of its peak
  double shown = 0;         ///< sqrt(q) up to which default boxes keep it
  double roughness = 0;     ///< integral of k^2
  double variance = 0;      ///< integral of x^2 k, along any axis
  double constant = 0;      ///< makes the integral of constant * profile over space 1
  /// A = h / n_eff^(-1/7) of Silverman's rule: the bandwidth that minimises the asymptotic mean
  /// integrated squared error for a normal density (Silverman 1986, eq. 4.14 and 4.15, d = 3).
  /// 2.4912 for Epanechnikov.
  double silverman = 0;
  /// The factor of Scott's rule: 1, his factor for a normal kernel, times the canonical factor that
  /// makes this kernel smooth as much (Marron and Nolan 1988). 2.5719 for Epanechnikov.
  double scott = 0;

  /// False for unbounded kernels.
  bool is_bounded() const { return std::isfinite(support); }
  /// Returns the sqrt(q) at which kernels are cut: their support or, for unbounded kernels, where
  /// the cut may change a value by half of `tolerance`, as a share of the peak.
  double cut_at(double tolerance) const;
};

/// The default tolerance of unbounded kernels.
inline constexpr double kDefaultTolerance = 1e-6;

/// The rows of all kernels; KernelFunction stores an index into them.
std::span<const KernelRow> kernel_table();

/// Names that other programs use for rows of the table: the alias, and the row's name.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kKernelAliases{
    {{"gauss", "gaussian"}, {"normal", "gaussian"}, {"tophat", "uniform"}}};

/// Identifies a row of the table; by default the first one, Epanechnikov's.
class KernelFunction {
 public:
  constexpr KernelFunction() = default;
  /// The row at this index of the table, from 0.
  constexpr explicit KernelFunction(std::size_t row) : row_(row) {}
  /// Returns the row with this name or alias. Throws Error(usage) if the name is unknown; the error
  /// names the nearest kernel.
  static KernelFunction named(std::string_view name);

  // The rows by name. The comments give their profiles of q = u^T H^-1 u, without the constant.
  static const KernelFunction epanechnikov;  ///< 1 - q
  static const KernelFunction uniform;       ///< 1 if q < 1
  static const KernelFunction biweight;      ///< (1 - q)^2
  static const KernelFunction triweight;     ///< (1 - q)^3
  static const KernelFunction gaussian;      ///< exp(-q / 2)
  static const KernelFunction exponential;   ///< exp(-sqrt(q))
  static const KernelFunction linear;        ///< 1 - sqrt(q)
  static const KernelFunction cosine;        ///< cos(pi / 2 sqrt(q))
  static const KernelFunction cubic_spline;  ///< M4, with support sqrt(q) = 1
  static const KernelFunction wendland_c2;   ///< (1 - r)^4 (1 + 4 r) of r = sqrt(q)

  /// The index of the row in the table, from 0.
  constexpr std::size_t index() const { return row_; }
  /// The row itself.
  const KernelRow& row() const { return kernel_table()[row_]; }
  /// The row itself.
  const KernelRow* operator->() const { return &row(); }
  /// True if the profile is a polynomial of at most this degree in 1 - q.
  bool is_power_up_to(int degree) const { return row().degree && *row().degree <= degree; }

  /// True if all members are equal.
  friend constexpr bool operator==(KernelFunction, KernelFunction) = default;

 private:
  std::size_t row_ = 0;
};

inline constexpr KernelFunction KernelFunction::epanechnikov{0};
inline constexpr KernelFunction KernelFunction::uniform{1};
inline constexpr KernelFunction KernelFunction::biweight{2};
inline constexpr KernelFunction KernelFunction::triweight{3};
inline constexpr KernelFunction KernelFunction::gaussian{4};
inline constexpr KernelFunction KernelFunction::exponential{5};
inline constexpr KernelFunction KernelFunction::linear{6};
inline constexpr KernelFunction KernelFunction::cosine{7};
inline constexpr KernelFunction KernelFunction::cubic_spline{8};
inline constexpr KernelFunction KernelFunction::wendland_c2{9};

/// "epanechnikov, uniform, ... or cosine": all of them.
std::string kernel_names();

}  // namespace skde
