#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/space/space.hpp"

namespace skde {

/// What is known of the samples before any is read.
struct CloudFacts {
  std::int64_t samples = 0;
  bool weighted = false;
  bool shaped = false;  ///< samples have bandwidth factors or shapes of their own

  friend bool operator==(const CloudFacts&, const CloudFacts&) = default;
};

/// Bytes of host or device memory that an engine needs for a problem.
struct MemoryNeed {
  double fixed = 0;
  double resident = 0;  ///< per loaded sample
  double sample = 0;    ///< per sample that is worked on, in addition
  double value = 0;     ///< per cell or target point

  double bytes(double loaded, double worked_on, double values) const {
    return fixed + resident * loaded + sample * worked_on + value * values;
  }
  friend bool operator==(const MemoryNeed&, const MemoryNeed&) = default;
};

/// Seconds until a GPU's driver has started and the device may be used, once per process.
inline constexpr double kGpuStartSeconds = 0.4;

/// Predicted seconds of the steps of a run. Fitted on an H200 and on AVX-512 cores.
struct OfferTimes {
  double start = 0;     ///< of the device, once per process
  double upload = 0;    ///< of the samples
  double run = 0;       ///< from begin() to finish()
  double download = 0;  ///< of the values

  double total() const { return start + upload + run + download; }
  friend bool operator==(const OfferTimes&, const OfferTimes&) = default;
};

/// What an engine would do with a problem.
struct Offer {
  std::string refusal;      ///< why it does not serve the problem; empty if it does
  OfferTimes seconds;       ///< 0, like the rest, if it refuses
  double error = 0;         ///< largest error of a value, as a share of the density's peak
  MemoryNeed host, device;  ///< besides the cloud and the values in host memory
  bool repeats = false;     ///< reproducible: the same bits on every run
  int threads = 0;          ///< of the CPU that a run uses; 0 if it works elsewhere
  /// RunOrders::slices may cut a run at multiples of this many slices; 0: nowhere.
  std::int64_t cut_step = 0;
  bool shares_tiles = false;  ///< RunOrders::share may divide a run
  bool wraps = false;         ///< it uses the problem's periods, and wants no images along them
  /// Samples further than this beyond the box of the grid or of the points change no bit of the
  /// values, whether they are added or not. None: all samples may matter.
  std::optional<Vec3> reach{};

  bool serves() const { return refusal.empty(); }
  friend bool operator==(const Offer&, const Offer&) = default;
  static Offer refused(std::string why) { return {std::move(why), {}, 0, {}, {}, false}; }
};

}  // namespace skde
