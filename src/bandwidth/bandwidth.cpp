#include "bandwidth/bandwidth.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/cloud/moments.hpp"
#include "core/report/error.hpp"

namespace skde {
namespace {

/// Returns "z (0, 0, 1)" for a coordinate axis, and only the direction for others.
std::string describe_direction(Vec3 v) {
  const int axis = std::abs(v.x) > 0.999   ? 0
                   : std::abs(v.y) > 0.999 ? 1
                   : std::abs(v.z) > 0.999 ? 2
                                           : -1;
  const std::string direction = fmt::format("({:.3g}, {:.3g}, {:.3g})", v.x, v.y, v.z);
  return axis < 0 ? direction : fmt::format("{} {}", kAxisNames[axis], direction);
}

/// Returns the matrix scaled to unit diagonal, and the scale factors. It makes axes in unlike units
/// comparable. Zero diagonal entries stay.
std::pair<Symmetric3, Vec3> scaled_to_unit_diagonal(const Symmetric3& s) {
  const auto factor = [](double variance) { return variance > 0 ? 1 / std::sqrt(variance) : 1; };
  const Vec3 f{factor(s.xx), factor(s.yy), factor(s.zz)};
  return {{s.xx * f.x * f.x, s.xy * f.x * f.y, s.xz * f.x * f.z, s.yy * f.y * f.y, s.yz * f.y * f.z,
           s.zz * f.z * f.z},
          f};
}

/// Converts a direction of the scaled axes to a unit vector in world units.
Vec3 unscaled(Vec3 v, Vec3 factors) {
  const Vec3 u{v.x * factors.x, v.y * factors.y, v.z * factors.z};
  return (1 / std::hypot(u.x, u.y, u.z)) * u;
}

[[noreturn]] void throw_singular(const Symmetric3& s, bool robust) {
  const auto [scaled, factors] = scaled_to_unit_diagonal(s);
  const Eigen3 eigen = eigen_decomposition(scaled);
  const bool line = eigen.values[1] <= 1e-10 * eigen.values[2];
  throw Error(
      ErrorKind::input,
      fmt::format("the {}covariance is singular: {} lie {} along {}{}", robust ? "robust " : "",
                  robust ? "half of the samples" : "the samples",
                  line ? "on a line, flat" : "in a plane, flat",
                  describe_direction(unscaled(eigen.vectors[0], factors)),
                  line ? " and " + describe_direction(unscaled(eigen.vectors[1], factors)) : ""),
      {"covariance",
       "add variance with `regularize=0.01`, or use spherical kernels with `covariance=iso`"});
}

bool is_finite(const Symmetric3& s) {
  return std::isfinite(s.xx) && std::isfinite(s.xy) && std::isfinite(s.xz) && std::isfinite(s.yy) &&
         std::isfinite(s.yz) && std::isfinite(s.zz);
}

}  // namespace

Symmetric3 spread_of(const Moments& moments, const BandwidthSpec& spec) {
  if (spec.covariance) return *spec.covariance;
  const bool within = spec.form == CovarianceForm::within;
  if (!within && spec.form != CovarianceForm::robust) return moments.covariance();
  if (const auto known = within ? moments.within_covariance() : moments.robust_covariance())
    return *known;
  throw Error(ErrorKind::unsupported,
              fmt::format("the covariance '{}' needs the samples, but only their moments are "
                          "available",
                          word_of(kCovarianceForms, spec.form)),
              {"covariance", "use `covariance=data`, or the file of a matrix"});
}

double outlier_widening(const Moments& moments) {
  const auto& robust = moments.robust_covariance();
  const Symmetric3 all = moments.covariance();
  if (!robust || !is_positive_definite(*robust) || !is_positive_definite(all)) return 1;
  double squared = 1;
  const Eigen3 few = eigen_decomposition(*robust), most = eigen_decomposition(all);
  for (std::size_t a = 0; a < 3; ++a) squared *= most.values[a] / few.values[a];
  const double widening = std::pow(squared, 1.0 / 6);
  return std::isfinite(widening) ? widening : 1;
}

namespace {

/// Returns S before its form is applied: the given matrix or that of the samples, regularised.
Symmetric3 base_covariance(const Moments& moments, const BandwidthSpec& spec) {
  if (spec.covariance && !is_positive_definite(*spec.covariance))
    throw Error(ErrorKind::input,
                "the given covariance is not a positive definite matrix of finite numbers",
                {"covariance", "correct the matrix of `covariance`"});
  const Symmetric3 s = spread_of(moments, spec);
  if (!is_finite(s))
    throw Error(ErrorKind::input,
                "the covariance of the samples is beyond the range of double: their coordinates "
                "are too large",
                {{}, "use other units"});
  const double added = spec.regularize * s.trace() / 3;
  return s + Symmetric3::diagonal(added, added, added);
}

double rule_factor(BandwidthRule rule, const Moments& moments, KernelFunction function) {
  const double n_eff = moments.effective_samples();
  if (!(n_eff > 0) || !std::isfinite(n_eff))
    throw moments.count() == 0
        ? Error(ErrorKind::input,
                "no samples: every row was empty, dropped, left out or of weight 0",
                {{}, "check the columns, `weights` and `where`"})
        : Error(ErrorKind::input, "the squares of the weights are beyond the range of double",
                {"weights", "scale the weights; only their ratios matter"});
  const double scale = std::pow(n_eff, -1.0 / 7);
  // S is the population covariance: it divides by n where others divide by n - 1.
  const double unbiased = std::sqrt(n_eff / (n_eff - 1));
  switch (rule) {
    case BandwidthRule::automatic:
    case BandwidthRule::silverman:
      break;
    case BandwidthRule::lcv:
    case BandwidthRule::lscv:
    case BandwidthRule::plug_in:
      throw Error(ErrorKind::unsupported,
                  fmt::format("{} needs the samples, but only their moments are available",
                              word_of(kBandwidthRules, rule)),
                  {"bandwidth", "use `bandwidth=silverman`"});
    case BandwidthRule::scott:
      return function->scott * scale;
    case BandwidthRule::normal_scale:
      return function->silverman * scale * unbiased;
    case BandwidthRule::normal_scott:
      return function->scott * scale * unbiased;
  }
  return function->silverman * scale;
}

void require_two_distinct(const Moments& moments) {
  if (moments.count() == 0)
    throw Error(ErrorKind::input,
                "no samples: every row was empty, dropped, left out or of weight 0",
                {{}, "check the columns, `weights` and `where`"});
  if (moments.bounds().lower == moments.bounds().upper)
    throw Error(ErrorKind::input,
                fmt::format("fewer than 2 distinct samples ({} at one position): no bandwidth can "
                            "be derived from them",
                            moments.count()),
                {"bandwidth", "give lengths with `bandwidth=HX,HY,HZ`"});
}

/// Throws if h^2 has left the range of double.
Bandwidth checked(const Bandwidth& bandwidth) {
  if (!is_positive_definite(bandwidth.H))
    throw Error(
        ErrorKind::input,
        fmt::format("the bandwidth matrix for h = {:g} is beyond the range of double", bandwidth.h),
        {"bandwidth", "use other units or another `bandwidth`"});
  return bandwidth;
}

/// Returns H = h^2 S for a rule or a number.
Bandwidth scaled_covariance(const Moments& moments, const BandwidthSpec& spec,
                            KernelFunction function) {
  const auto* rule = std::get_if<BandwidthRule>(&spec.bandwidth);
  if (is_chosen(spec.form) && !is_automatic(spec))
    throw Error(ErrorKind::usage,
                fmt::format("covariance '{}' is chosen by the score of an automatic bandwidth",
                            word_of(kCovarianceForms, spec.form)),
                {"covariance", "leave out `bandwidth`, or name another `covariance`"});
  Bandwidth result;
  result.h = rule ? rule_factor(*rule, moments, function) : std::get<double>(spec.bandwidth);
  const bool automatic = rule && *rule == BandwidthRule::automatic;
  result.source = automatic ? "auto: silverman" : rule ? word_of(kBandwidthRules, *rule) : "given";
  if (spec.form == CovarianceForm::iso) {
    if (rule) result.h *= std::sqrt(base_covariance(moments, spec).trace() / 3);
    result.H = (result.h * result.h) * Symmetric3::diagonal(1, 1, 1);
    return checked(result);
  }
  Symmetric3 s = base_covariance(moments, spec);
  if (spec.form == CovarianceForm::diag) s = Symmetric3::diagonal(s.xx, s.yy, s.zz);
  if (!is_positive_definite(s)) throw_singular(s, spec.form == CovarianceForm::robust);
  result.H = (result.h * result.h) * s;
  result.uses_covariance = true;
  return checked(result);
}

}  // namespace

std::variant<BandwidthRule, double, Vec3, Symmetric3> parse_bandwidth(std::string_view text) {
  for (const auto& [word, rule] : kBandwidthRules)
    if (text == word) return rule;
  const std::vector<double> v = parse_number_list<double>(text);
  const auto fail = [&](std::string_view why) {
    throw Error(ErrorKind::usage, fmt::format("{}; got '{}'", why, text), {"bandwidth", {}});
  };
  if (v.size() == 1 || v.size() == 3) {
    const bool is_none = std::ranges::count(v, 0.0) == std::ssize(v);
    for (double h : v) {
      if (is_none) return Vec3{};
      if (!(h > 0) || !std::isfinite(h)) fail("must be finite and above 0");
      if (!std::isnormal(h * h)) fail("must have a square within the range of double");
    }
    if (v.size() == 1) return v[0];
    return Vec3{v[0], v[1], v[2]};
  }
  if (v.size() == 9 && (v[1] != v[3] || v[2] != v[6] || v[5] != v[7])) fail("must be symmetric");
  if (v.size() == 6 || v.size() == 9) {
    const Symmetric3 H = v.size() == 6 ? Symmetric3{v[0], v[1], v[2], v[3], v[4], v[5]}
                                       : Symmetric3{v[0], v[1], v[2], v[4], v[5], v[8]};
    if (!is_positive_definite(H)) fail("must be positive definite");
    return H;
  }
  fail(
      "must be auto, silverman, scott, normal-scale, normal-scott, lcv, lscv, plug-in, H, "
      "HX,HY,HZ, or a "
      "matrix of 6 or 9 numbers");
  return {};
}

Bandwidth select_bandwidth(const Moments& moments, const BandwidthSpec& spec,
                           KernelFunction function) {
  if (!(spec.regularize >= 0) || !std::isfinite(spec.regularize))
    throw Error(ErrorKind::usage, "must be finite and at least 0", {"regularize", {}});
  if (const auto* H = std::get_if<Symmetric3>(&spec.bandwidth)) return {*H, 0, "given", false};
  const auto* const lengths = std::get_if<Vec3>(&spec.bandwidth);
  if (lengths && *lengths == Vec3{})
    throw Error(ErrorKind::usage, "a bandwidth of 0 leaves no kernel, only counts in cells",
                {"bandwidth", "give a `bandwidth` above 0, or `cells=mean` for a histogram"});
  if (lengths)
    return {Symmetric3::diagonal(lengths->x * lengths->x, lengths->y * lengths->y,
                                 lengths->z * lengths->z),
            0, "given", false};
  const bool needs_spread =
      !spec.covariance &&
      (spec.form != CovarianceForm::iso || std::holds_alternative<BandwidthRule>(spec.bandwidth));
  if (needs_spread) require_two_distinct(moments);
  return scaled_covariance(moments, spec, function);
}

}  // namespace skde
