#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace skde {

/// Puts keys in order on one device.
class KeySorter {
 public:
  KeySorter() = default;
  KeySorter(const KeySorter&) = delete;
  KeySorter& operator=(const KeySorter&) = delete;
  virtual ~KeySorter() = default;
  /// Name of the device for people: "CPU", or that of the GPU.
  virtual std::string device() const = 0;
  /// Writes the rows (from 0) in ascending order of their keys; rows of equal keys keep their
  /// order. There are at most 2^32 - 1 keys.
  virtual void sort(std::span<const std::uint64_t> keys, std::span<std::uint32_t> order) = 0;
};

/// All cores.
std::unique_ptr<KeySorter> cpu_key_sorter();
/// The current GPU, with CUB's radix sort of the bits that vary. Keys for which it has no memory
/// are sorted on the CPU. Throws Error(resources) if there is no GPU, and Error(unsupported) if
/// this build has no CUDA.
std::unique_ptr<KeySorter> gpu_key_sorter();
/// Returns whether gpu_key_sorter() would find a GPU.
bool has_gpu_key_sorter();

}  // namespace skde
