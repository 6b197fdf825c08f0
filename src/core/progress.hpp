#pragma once

#include <cstdint>
#include <string_view>

#include "core/work_forecast.hpp"

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
  virtual bool cancelled() const = 0;
  /// What the work would take, told before its first long step. Whoever wants no more than this
  /// ends the work by an exception.
  virtual void expect(const WorkForecast&) {}
  /// True where expect() ends the work, so that nothing is begun before.
  virtual bool only_plans() const { return false; }

  /// Throws Error(cancelled) where cancelled().
  void throw_if_cancelled() const;
};

/// For callers who watch nothing and never cancel.
class NoProgress final : public Progress {
 public:
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  bool cancelled() const override { return false; }
};

/// For work within a stage of `shown`, which goes on counting its own units: shows nothing, and is
/// cancelled with it.
class SilentProgress final : public Progress {
 public:
  explicit SilentProgress(const Progress& shown) : shown_(shown) {}
  void begin(std::string_view, std::uint64_t, std::string_view) override {}
  void update(std::uint64_t) override {}
  bool cancelled() const override { return shown_.cancelled(); }

 private:
  const Progress& shown_;
};

/// For a part of some work: forecasts are those of all of it, which takes `times` as long and
/// writes `results` times as much.
class ProgressOfPart final : public Progress {
 public:
  ProgressOfPart(Progress& shown, double times, double results)
      : shown_(shown), times_(times), results_(results) {}
  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override {
    shown_.begin(stage, total, unit);
  }
  void update(std::uint64_t done) override { shown_.update(done); }
  bool cancelled() const override { return shown_.cancelled(); }
  void expect(const WorkForecast& part) override {
    WorkForecast all = part;
    all.seconds *= times_;
    all.result_bytes *= results_;
    shown_.expect(all);
  }
  bool only_plans() const override { return shown_.only_plans(); }

 private:
  Progress& shown_;
  double times_, results_;
};

}  // namespace skde
