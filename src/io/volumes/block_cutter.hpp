#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skde::io {

/// Cuts bytes that arrive in pieces into blocks of `bytes` each, wherever the pieces begin. Bytes
/// that do not fill a block wait for the next piece.
class BlockCutter {
 public:
  explicit BlockCutter(std::size_t bytes) : bytes_(bytes) {}

  /// Calls use(blocks) with the blocks that are complete now.
  template <class Use>
  void add(std::string_view piece, const Use& use) {
    if (!open_.empty()) {
      const std::string_view rest = piece.substr(0, bytes_ - open_.size());
      open_ += rest;
      piece.remove_prefix(rest.size());
    }
    std::vector<std::string_view> blocks;
    if (open_.size() == bytes_) blocks.emplace_back(open_);
    for (; piece.size() >= bytes_; piece.remove_prefix(bytes_))
      blocks.push_back(piece.substr(0, bytes_));
    use(blocks);
    if (open_.size() == bytes_) open_.clear();
    open_ += piece;
  }

  /// Calls use(blocks) with the incomplete last block, if there is one.
  template <class Use>
  void finish(const Use& use) {
    if (!open_.empty()) use(std::vector<std::string_view>{open_});
    open_.clear();
  }

 private:
  std::size_t bytes_;
  std::string open_;  // the incomplete block
};

}  // namespace skde::io
