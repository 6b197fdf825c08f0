#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/kernel/kernel_function.hpp"
#include "core/report/words.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"

namespace skde {

class Moments;

/// Automatic choices of h: rules that scale with n_eff^(-1/7), and data-driven rules, which need
/// the samples themselves and not only their moments.
enum class BandwidthRule {
  automatic,  ///< lscv, plug_in or silverman, whichever suits the samples: a random choice of them
              ///< decides (automatic_bandwidth)
  silverman,  ///< best for a normal density under this kernel
  scott,      ///< Scott's factor times the kernel's canonical factor: 3 % above silverman
  normal_scale,  ///< silverman with the unbiased covariance, as Hns of R's package ks
  normal_scott,  ///< scott with the unbiased covariance, as gaussian_kde of scipy
  lcv,           ///< data-driven: maximises the leave-one-out likelihood
  lscv,          ///< data-driven: minimises the leave-one-out squared error
  plug_in,       ///< data-driven: minimises the asymptotic error for an estimated curvature
};

/// The words of the rules.
inline constexpr Words<BandwidthRule, 8> kBandwidthRules{
    {{"auto", BandwidthRule::automatic},
     {"silverman", BandwidthRule::silverman},
     {"scott", BandwidthRule::scott},
     {"normal-scale", BandwidthRule::normal_scale},
     {"normal-scott", BandwidthRule::normal_scott},
     {"lcv", BandwidthRule::lcv},
     {"lscv", BandwidthRule::lscv},
     {"plug-in", BandwidthRule::plug_in}}};

/// True if the rule needs all samples in memory. automatic needs only those that moments keep.
constexpr bool is_data_driven(BandwidthRule rule) {
  return rule == BandwidthRule::lcv || rule == BandwidthRule::lscv ||
         rule == BandwidthRule::plug_in;
}

/// The choice of the covariance S in H = h^2 S.
enum class CovarianceForm {
  data,       ///< the covariance of the samples
  diag,       ///< its diagonal
  robust,     ///< robust_covariance(), which few far samples change little
  iso,        ///< the unit matrix, so that h is a length in world units; the rules take
              ///< h = A n_eff^(-1/7) sigma with sigma^2 = trace(S) / 3
  within,     ///< within_covariance(), pooled over the parts of the cloud
  automatic,  ///< that of the forms above with the least score; with an automatic bandwidth alone
  free,       ///< all six entries of H by the score; with an automatic bandwidth alone
};

/// The words of the forms.
inline constexpr Words<CovarianceForm, 7> kCovarianceForms{{{"data", CovarianceForm::data},
                                                            {"diag", CovarianceForm::diag},
                                                            {"robust", CovarianceForm::robust},
                                                            {"iso", CovarianceForm::iso},
                                                            {"within", CovarianceForm::within},
                                                            {"auto", CovarianceForm::automatic},
                                                            {"free", CovarianceForm::free}}};

/// True if samples choose the form, by the score.
constexpr bool is_chosen(CovarianceForm form) {
  return form == CovarianceForm::automatic || form == CovarianceForm::free;
}

/// The bandwidth that the user asked for. The alternatives of `bandwidth`: a rule; h; the lengths
/// hx, hy, hz in world units (H = diag(hx^2, hy^2, hz^2)); H itself.
struct BandwidthSpec {
  /// A rule, h, (hx, hy, hz) or H.
  std::variant<BandwidthRule, double, Vec3, Symmetric3> bandwidth = BandwidthRule::automatic;
  CovarianceForm form = CovarianceForm::data;  ///< form of S, for a rule or h
  std::optional<Symmetric3> covariance{};  ///< used instead of the samples' own, e.g. from a file
  double regularize = 0;                   ///< share of trace(S)/3 added to the diagonal of S

  /// True if all members are equal.
  friend bool operator==(const BandwidthSpec&, const BandwidthSpec&) = default;
};

/// The bandwidth matrix in use and its origin.
struct Bandwidth {
  Symmetric3 H;                  ///< squared world units
  double h = 0;                  ///< 0 if H was given or has three lengths
  std::string source;            ///< a rule's name, as "lscv" or "auto: lscv", or "given"
  bool uses_covariance = false;  ///< H is h^2 S, with S of the samples or given
  /// The kernel whose score chose h, which was then scaled to the kernel in use; empty if it is the
  /// same kernel.
  std::string judge{};
  double silverman = 0;      ///< h of Silverman's rule if `auto` chose; else 0
  std::string form{};        ///< the form of S that the samples chose; else empty
  std::uint64_t scored = 0;  ///< random samples that chose h for all; 0 if all did

  /// True if all members are equal.
  friend bool operator==(const Bandwidth&, const Bandwidth&) = default;
};

/// Returns the covariance in the spec's form, not yet regularised: the given one, that of the
/// samples, the robust one, or the one within parts. Throws Error(unsupported) if it is unknown, as
/// for moments alone.
Symmetric3 spread_of(const Moments& moments, const BandwidthSpec& spec);

/// Returns how much longer the samples' deviations are than those of the robust covariance, as the
/// geometric mean over its axes; 1 if either is unknown or singular.
double outlier_widening(const Moments& moments);

/// Parses a rule's name, `H`, `HX,HY,HZ`, 0 for three lengths of 0, or 6 (xx,xy,xz,yy,yz,zz) or 9
/// (row by row) numbers. Throws Error(usage) for other texts and for numbers that are not finite
/// and positive (definite).
std::variant<BandwidthRule, double, Vec3, Symmetric3> parse_bandwidth(std::string_view text);

/// Returns H for samples with these moments. Throws Error(usage) for lengths of 0. Throws
/// Error(input) if a rule has fewer than 2 distinct samples, or if S is singular; the message names
/// the flat direction and the flags that help. Throws Error(unsupported) for a data-driven rule.
/// For `automatic` it is Silverman's rule.
Bandwidth select_bandwidth(const Moments& moments, const BandwidthSpec& spec,
                           KernelFunction function);

/// True if the spec asks for a data-driven rule.
bool is_data_driven(const BandwidthSpec& spec);
/// True if the spec leaves the rule to skde.
bool is_automatic(const BandwidthSpec& spec);
/// True in both cases: samples choose the bandwidth, by their scores.
bool is_scored(const BandwidthSpec& spec);

/// Values of h by the rules. A value is empty if its rule cannot be used, e.g. for a flat cloud.
struct BandwidthSuggestions {
  std::optional<double> silverman;     ///< by BandwidthRule::silverman
  std::optional<double> scott;         ///< by BandwidthRule::scott
  std::optional<double> normal_scale;  ///< by BandwidthRule::normal_scale
  std::optional<double> normal_scott;  ///< by BandwidthRule::normal_scott
};

/// A data-driven rule, and the density that the bandwidth is for.
struct DataDrivenSpec {
  BandwidthSpec bandwidth;  ///< with a data-driven rule
  KernelFunction kernel{};  ///< that the bandwidth is for
  bool sharpen = false;     ///< of a sharpened density
  /// At the faces of the box, or of the samples if none is known; automatic bandwidths and those of
  /// sharpened densities alone count them.
  Boundaries boundaries{};
  std::optional<Box> box{};  ///< in world units

  /// True if all members are equal.
  friend bool operator==(const DataDrivenSpec&, const DataDrivenSpec&) = default;
};

/// The threads and memory that the search may use, and the bandwidths that it tries.
struct DataDrivenEffort {
  int threads = 0;                ///< 0: one per core
  double most_bytes = 0;          ///< of host memory
  double ratio = 1.25;            ///< ratio of neighbouring bandwidths on the curve
  std::optional<double> lower{};  ///< smallest h of the curve; set both ends or none
  std::optional<double> upper{};  ///< largest h of the curve
  /// If the samples are some of a cloud: converts their h to one for all. Every h that is given or
  /// returned, and those in messages, are for all.
  double factor = 1;
  bool roughly = false;      ///< h to a percent, without a judgement of samples
  std::optional<int> gpu{};  ///< the CUDA device that may be used; none: only the CPU
  bool gpu_starts = false;   ///< it was started, or is being started, for another reason
};

}  // namespace skde
