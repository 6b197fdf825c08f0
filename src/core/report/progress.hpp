#pragma once

#include <cstdint>
#include <string_view>

namespace skde {

/// How long work tells of itself and is told to stop. Engines and readers call it from one thread
/// at a time or guard it themselves; cancelled() may be called from any thread.
class Progress {
 public:
  virtual ~Progress() = default;
  /// A new stage begins; `total` units of work are ahead, 0 where nobody knows how many.
  virtual void begin(std::string_view stage, std::uint64_t total, std::string_view unit) = 0;
  /// `done` units of the current stage are finished so far.
  virtual void update(std::uint64_t done) = 0;
  /// True once the work is to stop.
  virtual bool cancelled() const = 0;

  /// Throws Error(cancelled) where cancelled().
  void throw_if_cancelled() const;
};

/// For callers who watch nothing and never cancel.
class NoProgress final : public Progress {
 public:
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  /// False.
  bool cancelled() const override { return false; }
};

/// For work within a stage of `shown`, which goes on counting its own units: shows nothing, and is
/// cancelled with it.
class SilentProgress final : public Progress {
 public:
  /// `shown` must outlive this.
  explicit SilentProgress(const Progress& shown) : shown_(shown) {}
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  /// As that of `shown`.
  bool cancelled() const override { return shown_.cancelled(); }

 private:
  const Progress& shown_;
};

}  // namespace skde
