#pragma once

#include <memory>
#include <span>
#include <string>

namespace skde::io {

/// Error(unsupported) where this build has no PROJ.
void require_projections();

/// A step of PROJ, of longitudes and latitudes in radians or of lengths in metres.
class EarthProjection {
 public:
  /// Throws what require_projections() does, and std::runtime_error where PROJ does not know the
  /// step.
  explicit EarthProjection(const std::string& step);
  EarthProjection(EarthProjection&&) noexcept;
  EarthProjection& operator=(EarthProjection&&) noexcept;
  ~EarthProjection();

  /// Replaces three coordinates of each place; one thread at a time.
  void apply(std::span<double> xyz) const;

 private:
  struct Step;
  std::unique_ptr<Step> step_;
};

}  // namespace skde::io
