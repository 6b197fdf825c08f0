#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace skde::io {

/// Cuts bytes that come in pieces into blocks of `bytes` each from the first one on, wherever the
/// pieces begin: what fills no block waits for the next piece.
class BlockCutter {
 public:
  explicit BlockCutter(std::size_t bytes) : bytes_(bytes) {}

  /// use(blocks) with those that are whole now.
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

  /// use(blocks) with what is left, where something is.
  template <class Use>
  void finish(const Use& use) {
    if (!open_.empty()) use(std::vector<std::string_view>{open_});
    open_.clear();
  }

 private:
  std::size_t bytes_;
  std::string open_;  // the block that is not full yet
};

}  // namespace skde::io
