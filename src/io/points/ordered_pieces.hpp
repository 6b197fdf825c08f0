#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/cloud/samples.hpp"
#include "io/points/input_pieces.hpp"

namespace skde::io {

/// Hands out the pieces of an input in order, while threads read ahead. The samples, their order
/// and any error are those of a single thread.
class OrderedPieces {
 public:
  OrderedPieces(std::shared_ptr<InputPieces> pieces, int threads);
  ~OrderedPieces();
  OrderedPieces(const OrderedPieces&) = delete;
  OrderedPieces& operator=(const OrderedPieces&) = delete;

  /// Replaces `samples` with those of the next piece and adds its rows to `counts`; returns false
  /// at the end. Throws what reading the piece threw.
  bool next(Samples& samples, CloudCounts& counts);
  /// Share of the pieces that were handed out.
  double done() const;

 private:
  struct Slot {
    Samples samples;
    CloudCounts counts;
    std::exception_ptr failure;
    bool ready = false;
  };
  void work();
  void fill(Slot& slot, std::size_t index);

  std::shared_ptr<InputPieces> pieces_;
  std::vector<Slot> slots_;  ///< piece i is read into slot i modulo slots_.size()
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t begun_ = 0, taken_ = 0;  ///< pieces
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace skde::io
