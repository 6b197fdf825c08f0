#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engines/value_buffer.hpp"

namespace skde {

class BufferPool;

/// The right to use a buffer, which returns to its pool when the lease ends.
class BufferLease {
 public:
  BufferLease() = default;
  /// A lease of a buffer that has no pool.
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

/// Value buffers for the next runs of an engine. The holder of a lease is the only user of its
/// buffer: an engine never writes to a buffer that is still shown. A buffer that is given back is
/// reused, so any number of runs over one grid allocates two or three buffers. Leases may end in
/// any thread; the pool lives as long as the last of them.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  /// Returns a buffer that was given back and fits the problem, or null. Frees those that do not
  /// fit.
  std::unique_ptr<ValueBuffer> take_idle(const Problem& problem);
  BufferLease lease(std::unique_ptr<ValueBuffer> buffer);
  std::int64_t idle_bytes() const;
  void give_back(std::unique_ptr<ValueBuffer> buffer);
  /// Frees all buffers that were given back.
  void trim();

 private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<ValueBuffer>> idle_;
};

}  // namespace skde
