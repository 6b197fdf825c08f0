#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/device_buffer.hpp"
#include "gpu/stream.hpp"

namespace skde::gpu {

/// Returns why there are no transforms, e.g. because cuFFT is not installed; empty if there are.
/// The library is loaded when first needed, so that programs run without it.
std::string fft_unavailable_reason();

/// In-place transforms of a periodic field of real numbers to its half spectrum and back: rows of
/// nodes[0] + 2 numbers, x fastest. Neither direction is scaled. Move-only. Both directions are
/// planned at once and share their work memory, about as much as the field. Throws Error(resources)
/// if that does not fit into the device's memory.
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
