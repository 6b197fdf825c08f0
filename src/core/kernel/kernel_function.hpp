#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/kernel/kernel_profiles.hpp"

namespace skde {

class Draws;

/// A row of the table of kernels as values.
struct KernelRow {
  std::string_view name;
  double (*profile)(double q);  ///< without the constant
  /// p where the profile is (1 - q)^p, so that it is a polynomial along a row of cells.
  std::optional<int> degree;
  double support = 0;             ///< the root of q from which on the profile is 0; may be infinite
  double (*tail)(double radius);  ///< integral of the kernel beyond this root of q
  /// The most that samples of one kernel beyond this root of q may have been worth where they are
  /// left away, as a share of the peak of their density: many times the tail in a hole that samples
  /// lie around.
  double (*cut_error)(double radius);
  double (*convolution)(double q);  ///< of the kernel with itself; at 0 the integral of k^2
  /// A place whose density is the kernel's for H = I.
  Vec3 (*draw)(Draws&);
  /// The row, by its place in the table, that times slope_factor is the profile's derivative by q;
  /// none where the profile is flat.
  std::optional<std::size_t> slope;
  double slope_factor = 0;
  double variance = 0;  ///< integral of x^2 k, along any axis
  double constant = 0;  ///< makes the integral of constant * profile over space 1
  /// A = h / n_eff^(-1/7) of Silverman's rule: the bandwidth that minimises the asymptotic mean
  /// integrated squared error for a normal density (Silverman 1986, eq. 4.14 and 4.15, d = 3).
  /// 2.4912 for Epanechnikov.
  double silverman = 0;
  /// The same of Scott's rule: his factor for a normal kernel, 1, times the canonical factor that
  /// makes this kernel smooth as much (Marron and Nolan 1988). 2.5719 for Epanechnikov.
  double scott = 0;

  bool is_bounded() const { return support < kUnbounded; }
  /// Where kernels are cut, as a root of q: at their end, or where the cut may change a value by
  /// half of `tolerance`, as a share of the peak.
  double cut_at(double tolerance) const;
};

/// The tolerance of kernels without an end where none is asked for.
inline constexpr double kDefaultTolerance = 1e-6;

std::span<const KernelRow> kernel_table();

/// What other programs call rows of the table: the word, and the row's name.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kKernelAliases{
    {{"gauss", "gaussian"}, {"normal", "gaussian"}}};

/// Names a row of the table; by default the first one, Epanechnikov's.
class KernelFunction {
 public:
  constexpr KernelFunction() = default;
  constexpr explicit KernelFunction(std::size_t row) : row_(row) {}
  /// The row of this name or alias. Throws Error(usage) that names the nearest kernel where the
  /// name is unknown.
  static KernelFunction named(std::string_view name);

  static const KernelFunction epanechnikov, uniform, biweight, triweight, gaussian;

  constexpr std::size_t index() const { return row_; }
  const KernelRow& row() const { return kernel_table()[row_]; }
  const KernelRow* operator->() const { return &row(); }
  /// True where the row is a polynomial of at most this degree in 1 - q.
  bool is_power_up_to(int degree) const { return row().degree && *row().degree <= degree; }

  friend constexpr bool operator==(KernelFunction, KernelFunction) = default;

 private:
  std::size_t row_ = 0;
};

inline constexpr KernelFunction KernelFunction::epanechnikov{0};
inline constexpr KernelFunction KernelFunction::uniform{1};
inline constexpr KernelFunction KernelFunction::biweight{2};
inline constexpr KernelFunction KernelFunction::triweight{3};
inline constexpr KernelFunction KernelFunction::gaussian{4};

/// All rows, in the order of the table.
inline constexpr auto kKernelFunctions = [] {
  std::array<KernelFunction, std::tuple_size_v<KernelProfiles>> all;
  for (std::size_t row = 0; row < all.size(); ++row) all[row] = KernelFunction(row);
  return all;
}();

/// "epanechnikov, uniform, biweight, triweight or gaussian".
std::string kernel_names();

/// Calls `body` with the row's profile, cut where the root of q is `cut`: with_profile(f, cut,
/// [&](const auto& profile) { ... }).
template <std::size_t Row = 0, class Body>
decltype(auto) with_profile(KernelFunction function, double cut, Body&& body) {
  if constexpr (Row + 1 < std::tuple_size_v<KernelProfiles>)
    if (function.index() != Row) return with_profile<Row + 1>(function, cut, body);
  return body(std::tuple_element_t<Row, KernelProfiles>(cut));
}

/// Calls `body` with the degree p of a row that is (1 - q)^p as a compile-time constant:
/// with_degree(f, [&]<int P>() { ... }). Throws std::bad_optional_access for other rows.
template <class Body>
decltype(auto) with_degree(KernelFunction function, Body&& body) {
  switch (function->degree.value()) {
    case 0:
      return body.template operator()<0>();
    case 1:
      return body.template operator()<1>();
    case 2:
      return body.template operator()<2>();
    default:
      return body.template operator()<3>();
  }
}

}  // namespace skde
