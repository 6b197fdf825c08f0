#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "engines/engine.hpp"

namespace skde::view {

class BufferPool;

/// The right to a buffer, which goes back to its pool when this ends.
class BufferLease {
 public:
  BufferLease() = default;
  /// A buffer without a pool.
  explicit BufferLease(std::unique_ptr<DensityBuffer> buffer) : buffer_(std::move(buffer)) {}
  ~BufferLease();
  BufferLease(BufferLease&& other) noexcept = default;
  BufferLease& operator=(BufferLease&& other) noexcept;

  DensityBuffer& operator*() const { return *buffer_; }
  DensityBuffer* operator->() const { return buffer_.get(); }
  explicit operator bool() const { return static_cast<bool>(buffer_); }

 private:
  friend class BufferPool;
  BufferLease(std::shared_ptr<BufferPool> pool, std::unique_ptr<DensityBuffer> buffer)
      : pool_(std::move(pool)), buffer_(std::move(buffer)) {}

  std::shared_ptr<BufferPool> pool_;  // ends after the buffer, and keeps the engine
  std::unique_ptr<DensityBuffer> buffer_;
};

/// The buffers of an engine. Whoever holds a lease has its buffer alone: an engine never writes to
/// one that is still being shown, and one that is given back is used again, so that any number of
/// runs over one grid allocates two or three of them. Leases may end in any thread; the pool and
/// its engine live as long as the last of them.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  explicit BufferPool(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}

  Engine& engine() const { return *engine_; }
  /// A cleared buffer for the engine's prepared problem, which has this grid. Those that were given
  /// back and have another grid are freed first.
  BufferLease take(const Grid& grid);
  /// Frees what was given back.
  void trim();
  /// How many buffers were made so far.
  std::size_t made() const;

 private:
  friend class BufferLease;
  void give_back(std::unique_ptr<DensityBuffer> buffer);

  std::shared_ptr<Engine> engine_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<DensityBuffer>> free_;
  std::size_t made_ = 0;
};

}  // namespace skde::view
