#include "core/kernel/kernel_function.hpp"

#include <fmt/core.h>

#include <concepts>
#include <numbers>
#include <type_traits>
#include <vector>

#include "core/cloud/counter_random.hpp"
#include "core/kernel/with_profile.hpp"
#include "core/report/error.hpp"
#include "core/report/words.hpp"

namespace skde {
namespace {

double silverman_constant(double roughness, double variance) {
  constexpr double d = 3, pi = std::numbers::pi;
  const double curvature = (d / 2 + d * d / 4) / std::pow(2 * std::sqrt(pi), d);  // of (lap phi)^2
  return std::pow(d * roughness / (variance * variance * curvature), 1 / (d + 4));
}

/// The constant of a normal kernel, (4 / (d + 2))^(1 / (d + 4)). The ratio of two kernels'
/// constants is the ratio of their canonical bandwidths.
double normal_silverman_constant() { return std::pow(4.0 / 5, 1.0 / 7); }

/// The members that every row must have; a row that lacks one does not compile.
template <class Profile>
concept CompleteRow = requires(double q, Draws& draws) {
  typename Profile::Slope;
  { Profile::kName } -> std::convertible_to<std::string_view>;
  { Profile::kDegree } -> std::convertible_to<int>;
  { Profile::kSupport } -> std::convertible_to<double>;
  { Profile::kConstant } -> std::convertible_to<double>;
  { Profile::kShown } -> std::convertible_to<double>;
  { Profile::kSteep } -> std::convertible_to<bool>;
  { Profile::kSlope } -> std::convertible_to<double>;
  { Profile::at(q) } -> std::same_as<double>;
  { Profile::tail(q) } -> std::same_as<double>;
  { Profile::cut_error(q) } -> std::same_as<double>;
  { Profile::roughness(q) } -> std::same_as<double>;
  { Profile::variance(q) } -> std::same_as<double>;
  { Profile::draw(draws) } -> std::same_as<Vec3>;
  { Profile(q).value(q) } -> std::same_as<double>;
};

/// The sqrt(q) at which a profile has fallen to half of its peak. The uniform one falls at its end.
template <class Profile>
double half_maximum() {
  double inner = 0, outer = std::fmin(Profile::kSupport, Profile::kShown);
  while (inner < 0.5 * (inner + outer) && 0.5 * (inner + outer) < outer) {
    const double middle = 0.5 * (inner + outer);
    (Profile::at(middle * middle) > 0.5 * Profile::at(0) ? inner : outer) = middle;
  }
  return outer;
}

/// The index of a row in the table.
template <class Profile, std::size_t Row = 0>
constexpr std::size_t index_of() {
  static_assert(Row < std::tuple_size_v<KernelProfiles>, "the row is not in the table");
  if constexpr (std::is_same_v<Profile, std::tuple_element_t<Row, KernelProfiles>>)
    return Row;
  else
    return index_of<Profile, Row + 1>();
}

template <class Profile>
KernelRow make_row() {
  static_assert(CompleteRow<Profile>);
  constexpr double c = Profile::kConstant;
  KernelRow row;
  row.name = Profile::kName;
  row.profile = Profile::at;
  row.tail = Profile::tail;
  row.cut_error = Profile::cut_error;
  if constexpr (requires { Profile::convolution; }) row.convolution = Profile::convolution;
  if constexpr (requires { Profile::log; }) {
    row.log = Profile::log;
    row.root_of_fall = Profile::root_of_fall;
  }
  row.draw = Profile::template draw<Draws>;
  if constexpr (!std::is_void_v<typename Profile::Slope>) {
    row.slope = index_of<typename Profile::Slope>();
    row.slope_factor = Profile::kSlope;
  }
  if (Profile::kDegree != kNoDegree) row.degree = Profile::kDegree;
  row.support = Profile::kSupport;
  row.shown = Profile::kShown;
  row.half_maximum = half_maximum<Profile>();
  row.is_steep = Profile::kSteep;
  row.has_transform = kHasTransform<Profile>;
  row.has_integers = kHasIntegers<Profile>;
  row.constant = c;
  row.roughness = Profile::roughness(c);
  row.variance = Profile::variance(c);
  row.silverman = silverman_constant(row.roughness, row.variance);
  row.scott = row.silverman / normal_silverman_constant();
  return row;
}

template <std::size_t... Row>
std::array<KernelRow, sizeof...(Row)> make_table(std::index_sequence<Row...>) {
  return {make_row<std::tuple_element_t<Row, KernelProfiles>>()...};
}

}  // namespace

double KernelRow::cut_at(double tolerance) const {
  if (is_bounded()) return support;
  // Plans ask often, and for one tolerance.
  thread_local struct {
    double (*cut_error)(double) = nullptr;
    double tolerance = 0, cut = 0;
  } last;
  if (last.cut_error == cut_error && last.tolerance == tolerance) return last.cut;
  double inner = 0, outer = 40;  // bisected to the last bit
  while (cut_error(outer) > tolerance / 2) outer *= 2;
  while (inner < 0.5 * (inner + outer) && 0.5 * (inner + outer) < outer) {
    const double middle = 0.5 * (inner + outer);
    (cut_error(middle) > tolerance / 2 ? inner : outer) = middle;
  }
  last = {cut_error, tolerance, outer};
  return outer;
}

std::span<const KernelRow> kernel_table() {
  static const auto table =
      make_table(std::make_index_sequence<std::tuple_size_v<KernelProfiles>>());
  return table;
}

KernelFunction KernelFunction::named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const KernelRow& row : kernel_table()) {
    if (row.name == name) return KernelFunction(names.size());
    names.push_back(row.name);
  }
  for (const auto& [alias, of] : kKernelAliases)
    if (alias == name) return named(of);
  throw Error(ErrorKind::usage, fmt::format("unknown kernel '{}'", name),
              {"kernel", did_you_mean(name, names)});
}

std::string kernel_names() {
  std::string names;
  const auto table = kernel_table();
  for (std::size_t i = 0; i < table.size(); ++i)
    names += fmt::format("{}{}", i == 0 ? "" : i + 1 < table.size() ? ", " : " or ", table[i].name);
  return names;
}

}  // namespace skde
