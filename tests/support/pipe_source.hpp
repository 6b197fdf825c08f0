#pragma once

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "io/bytes/byte_source.hpp"

namespace skde::test {

/// Bytes of unknown total size that arrive a few at a time, as from a pipe.
class PipeSource final : public io::ByteSource {
 public:
  PipeSource(std::string name, std::string_view bytes) : name_(std::move(name)), bytes_(bytes) {}

  const std::string& name() const override { return name_; }
  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = std::min({most, bytes_.size(), std::size_t{61}});
    if (count > 0) std::memcpy(to, bytes_.data(), count);
    bytes_.remove_prefix(count);
    return count;
  }
  void seek(std::uint64_t) override { throw std::logic_error("a pipe cannot seek"); }

 private:
  std::string name_;
  std::string_view bytes_;
};

}  // namespace skde::test
