#pragma once

#include <cstdint>
#include <string>

namespace skde {

/// What is known of the samples before any is looked at.
struct CloudFacts {
  std::int64_t samples = 0;
  bool weighted = false;
  bool shaped = false;  ///< samples have widths or shapes of their own

  friend bool operator==(const CloudFacts&, const CloudFacts&) = default;
};

/// Bytes that an engine needs in one place, for a problem.
struct MemoryNeed {
  double fixed = 0;
  double resident = 0;  ///< of a sample that is loaded
  double sample = 0;    ///< of a sample that is worked on, besides
  double value = 0;     ///< of a cell or a target point

  double bytes(double loaded, double worked_on, double values) const {
    return fixed + resident * loaded + sample * worked_on + value * values;
  }
  friend bool operator==(const MemoryNeed&, const MemoryNeed&) = default;
};

/// Predicted seconds of the steps of a run, fitted on an H200 and on AVX-512 cores.
struct OfferTimes {
  double start = 0;     ///< of the device, once a process
  double upload = 0;    ///< of the samples
  double run = 0;       ///< from begin() to finish()
  double download = 0;  ///< of the values

  double total() const { return start + upload + run + download; }
  friend bool operator==(const OfferTimes&, const OfferTimes&) = default;
};

/// What an engine would do with a problem.
struct Offer {
  std::string refusal;      ///< why it does not serve the problem; empty where it does
  OfferTimes seconds;       ///< the rest is 0 where it refuses
  double error = 0;         ///< largest of a value, as a share of the peak
  MemoryNeed host, device;  ///< beside the cloud and the values in host memory
  bool repeats = false;     ///< the same bits on every run
  /// Slices at whose multiples a run may be cut into several by Problem::slices; 0: nowhere.
  std::int64_t cut_step = 0;
  bool shares_tiles = false;  ///< a run may be divided by Problem::share
  bool wraps = false;         ///< it heeds the problem's periods, and wants no images along them

  bool serves() const { return refusal.empty(); }
  friend bool operator==(const Offer&, const Offer&) = default;
  static Offer refused(std::string why) { return {std::move(why), {}, 0, {}, {}, false}; }
};

}  // namespace skde
