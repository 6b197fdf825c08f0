#pragma once

#include <cstdint>
#include <string_view>

namespace skde {

/// How work reports its progress and learns that it should stop. Engines and readers call it from
/// one thread at a time or guard it themselves; cancelled() may be called from any thread.
class Progress {
 public:
  virtual ~Progress() = default;
  /// A new stage begins. `total` units of work are ahead; 0 if the number is unknown.
  virtual void begin(std::string_view stage, std::uint64_t total, std::string_view unit) = 0;
  /// `done` units of the current stage are finished so far.
  virtual void update(std::uint64_t done) = 0;
  /// True once the work should stop.
  virtual bool cancelled() const = 0;

  /// Throws Error(cancelled) if cancelled() is true.
  void throw_if_cancelled() const;
};

/// For callers that show no progress and never cancel.
class NoProgress final : public Progress {
 public:
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  /// False.
  bool cancelled() const override { return false; }
};

/// For work within a stage of `shown`, which keeps counting its own units. It shows nothing and is
/// cancelled together with `shown`.
class SilentProgress final : public Progress {
 public:
  /// `shown` must outlive this.
  explicit SilentProgress(const Progress& shown) : shown_(shown) {}
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  /// Returns shown.cancelled().
  bool cancelled() const override { return shown_.cancelled(); }

 private:
  const Progress& shown_;
};

}  // namespace skde
