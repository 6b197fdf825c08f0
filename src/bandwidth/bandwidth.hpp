#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/kernel/kernel_function.hpp"
#include "core/report/words.hpp"
#include "core/space.hpp"

namespace skde {

class Moments;

/// Automatic choices of h: by rules that scale with n_eff^(-1/7), and data-driven, which takes the
/// samples themselves and not their moments alone.
enum class BandwidthRule {
  silverman,     ///< best for a normal density under this kernel
  scott,         ///< Scott's factor times the kernel's canonical factor: 3 % above silverman
  normal_scale,  ///< silverman with the unbiased covariance, as Hns of R's package ks has it
  normal_scott,  ///< scott with the unbiased covariance, as gaussian_kde of scipy has it
  lcv,           ///< data-driven: the largest likelihood of each sample under all others
  lscv,          ///< data-driven: the least squared error, each sample left out of its own density
  plug_in,       ///< data-driven: the least asymptotic error for an estimate of the curvature
};

/// Their words.
inline constexpr Words<BandwidthRule, 7> kBandwidthRules{
    {{"silverman", BandwidthRule::silverman},
     {"scott", BandwidthRule::scott},
     {"normal-scale", BandwidthRule::normal_scale},
     {"normal-scott", BandwidthRule::normal_scott},
     {"lcv", BandwidthRule::lcv},
     {"lscv", BandwidthRule::lscv},
     {"plug-in", BandwidthRule::plug_in}}};

/// True where the moments of the samples are not enough.
constexpr bool is_data_driven(BandwidthRule rule) {
  return rule == BandwidthRule::lcv || rule == BandwidthRule::lscv ||
         rule == BandwidthRule::plug_in;
}

/// What the covariance S in H = h^2 S is.
enum class CovarianceForm {
  data,    ///< the covariance of the samples
  diag,    ///< its diagonal
  robust,  ///< an estimate that few far samples change little: robust_covariance()
  iso,     ///< the unit matrix, so that h is a length in world units; the rules take
           ///< h = A n_eff^(-1/7) sigma with sigma^2 = trace(S) / 3
};

/// Their words.
inline constexpr Words<CovarianceForm, 4> kCovarianceForms{{{"data", CovarianceForm::data},
                                                            {"diag", CovarianceForm::diag},
                                                            {"robust", CovarianceForm::robust},
                                                            {"iso", CovarianceForm::iso}}};

/// What the user asked for. The alternatives of `bandwidth`: a rule; h; the lengths hx, hy, hz in
/// world units (H = diag(hx^2, hy^2, hz^2)); H itself.
struct BandwidthSpec {
  /// A rule, h, (hx, hy, hz) or H.
  std::variant<BandwidthRule, double, Vec3, Symmetric3> bandwidth = BandwidthRule::silverman;
  CovarianceForm form = CovarianceForm::data;  ///< of S, where there is a rule or h
  std::optional<Symmetric3> covariance{};  ///< used instead of the samples' own, e.g. from a file
  double regularize = 0;                   ///< adds this share of trace(S)/3 to the diagonal of S

  /// True where all members are equal.
  friend bool operator==(const BandwidthSpec&, const BandwidthSpec&) = default;
};

/// The bandwidth matrix in use and where it comes from.
struct Bandwidth {
  Symmetric3 H;                  ///< squared world units
  double h = 0;                  ///< 0 where H was given or has three lengths
  std::string source;            ///< a rule's name, or "given"
  bool uses_covariance = false;  ///< H is h^2 S, with S of the samples or given
  /// The kernel whose score chose h, scaled to that of the kernel in use; empty where that is the
  /// same.
  std::string judge{};

  /// True where all members are equal.
  friend bool operator==(const Bandwidth&, const Bandwidth&) = default;
};

/// The covariance of the samples in the spec's form, before it is regularised: the given one, the
/// samples' own or the robust one. Error(unsupported) where that is not known, as of moments alone.
Symmetric3 spread_of(const Moments& moments, const BandwidthSpec& spec);

/// How much longer the samples' deviations are than those of the robust covariance, as the
/// geometric mean over its axes; 1 where one of them is not known or singular.
double outlier_widening(const Moments& moments);

/// Parses a rule's name, `H`, `HX,HY,HZ`, or 6 (xx,xy,xz,yy,yz,zz) or 9 (row by row)
/// numbers. Throws Error(usage) where it is none of these, or not finite and positive (definite).
std::variant<BandwidthRule, double, Vec3, Symmetric3> parse_bandwidth(std::string_view text);

/// H for samples with these moments. Throws Error(input) where fewer than 2 distinct samples leave
/// a rule nothing to work on, or S is singular: the message names the flat direction and the flags
/// that mend it; Error(unsupported) for a data-driven rule.
Bandwidth select_bandwidth(const Moments& moments, const BandwidthSpec& spec,
                           KernelFunction function);

/// Whether a spec asks for a rule that judges bandwidths by the samples themselves.
bool is_data_driven(const BandwidthSpec& spec);

/// A rule that judges bandwidths by the samples, and the kernel that the bandwidth is for.
struct DataDrivenSpec {
  BandwidthSpec bandwidth;  ///< with its rule
  KernelFunction kernel{};  ///< that the bandwidth is for

  /// True where all members are equal.
  friend bool operator==(const DataDrivenSpec&, const DataDrivenSpec&) = default;
};

/// The threads and the memory that the search for it may use, and the bandwidths that it tries.
struct DataDrivenEffort {
  int threads = 0;                ///< 0: one a core
  double most_bytes = 0;          ///< of host memory
  double ratio = 1.25;            ///< of neighbouring bandwidths of the curve
  std::optional<double> lower{};  ///< least h of the curve; both ends or none
  std::optional<double> upper{};  ///< largest h of it
};

}  // namespace skde
