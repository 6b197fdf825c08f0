#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace skde::service {

/// Bytes that are being uploaded, by owner.
using ComingBytes = std::map<std::string, std::uint64_t, std::less<>>;

/// Bytes of an owner that are being uploaded. They count like those of clouds while this object
/// exists.
class ByteClaim {
 public:
  /// `left` returns how many more bytes this owner may have now.
  ByteClaim(std::shared_ptr<ComingBytes> coming, std::string owner,
            std::function<std::uint64_t()> left);
  ~ByteClaim();
  ByteClaim(const ByteClaim&) = delete;
  ByteClaim& operator=(const ByteClaim&) = delete;
  /// Throws Problem (413) if this is more than the owner may have.
  void grow_to(std::uint64_t bytes);

 private:
  std::shared_ptr<ComingBytes> coming_;  // shared, as connections may outlive the shelf
  std::string owner_;
  std::function<std::uint64_t()> left_;
  std::uint64_t bytes_ = 0;
};

}  // namespace skde::service
