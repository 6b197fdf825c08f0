#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engines/value_buffer.hpp"

namespace skde {

class BufferPool;

/// The right to a buffer, which goes back to its pool when this ends.
class BufferLease {
 public:
  BufferLease() = default;
  /// A buffer without a pool.
  explicit BufferLease(std::unique_ptr<ValueBuffer> buffer) : buffer_(std::move(buffer)) {}
  ~BufferLease();
  BufferLease(BufferLease&& other) noexcept = default;
  BufferLease& operator=(BufferLease&& other) noexcept;

  ValueBuffer& operator*() const { return *buffer_; }
  ValueBuffer* operator->() const { return buffer_.get(); }
  explicit operator bool() const { return static_cast<bool>(buffer_); }

 private:
  friend class BufferPool;
  BufferLease(std::shared_ptr<BufferPool> pool, std::unique_ptr<ValueBuffer> buffer)
      : pool_(std::move(pool)), buffer_(std::move(buffer)) {}

  std::shared_ptr<BufferPool> pool_;
  std::unique_ptr<ValueBuffer> buffer_;
};

/// Values that an engine is done with, for its next runs. Whoever holds a lease has its buffer
/// alone: an engine never writes to one that is still being shown, and one that is given back is
/// used again, so that any number of runs over one grid allocates two or three of them. Leases may
/// end in any thread; the pool lives as long as the last of them.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  /// One that was given back and fits the problem, or null. Those that do not fit are freed.
  std::unique_ptr<ValueBuffer> take_idle(const Problem& problem);
  BufferLease lease(std::unique_ptr<ValueBuffer> buffer);
  std::int64_t idle_bytes() const;
  void give_back(std::unique_ptr<ValueBuffer> buffer);
  /// Frees what was given back.
  void trim();

 private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<ValueBuffer>> idle_;
};

}  // namespace skde
