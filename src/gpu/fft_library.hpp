#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/device_buffer.hpp"
#include "gpu/stream.hpp"

namespace skde::gpu {

/// Why there are no transforms here, e.g. as cuFFT is not installed; empty where there are. The
/// library is looked for when it is first needed, so that programs run without it.
std::string fft_unavailable_reason();

/// Transforms of a periodic field of real numbers to its half spectrum and back, in its place: rows
/// of nodes[0] + 2 numbers, x fastest. Neither is scaled. Move-only; both directions are planned at
/// once, and work in the same memory, about as much as the field. Throws Error(resources) where the
/// device's memory does not hold what it works in.
template <class Real>
class FieldTransform {
 public:
  FieldTransform() = default;
  explicit FieldTransform(const std::array<std::int32_t, 3>& nodes);
  ~FieldTransform();
  FieldTransform(FieldTransform&& other) noexcept;
  FieldTransform& operator=(FieldTransform&& other) noexcept;

  bool fits(const std::array<std::int32_t, 3>& nodes) const { return planned_ && nodes == nodes_; }
  void forward(Real* field, const Stream& stream) const;
  void backward(Real* field, const Stream& stream) const;

 private:
  bool planned_ = false;
  std::array<std::int32_t, 3> nodes_{};
  int forward_ = 0, backward_ = 0;
  DeviceBuffer<unsigned char> work_;
};

}  // namespace skde::gpu
