#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/report/progress.hpp"

namespace skde::cli {

/// Where the progress of all commands is told instead of the terminal: for programs that run them
/// for others. Null: on the terminal. Not to be changed while a command runs.
void set_progress_listener(Progress* listener) noexcept;

/// How far a stage is.
struct StageState {
  std::string_view stage;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< 0 where nobody knows
  std::string_view unit;
  double seconds = 0;  ///< since the stage began
};

/// "reading a.ply  [#####-----]  52 %  1.20 GiB/s  3 s left", at most `width` columns wide. Without
/// a total: what is done so far and the rate.
std::string progress_line(const StageState& state, std::size_t width);

/// A bar on standard error, redrawn ten times a second where that is a terminal and `visible`;
/// cleared when the next stage begins and at the end. It is cancelled by signals.
class TerminalProgress final : public Progress {
 public:
  explicit TerminalProgress(bool visible);
  ~TerminalProgress() override;
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override;
  void update(std::uint64_t done) override;
  bool cancelled() const override;

  /// Takes the bar off the terminal.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool visible_;
  bool drawn_ = false;
  std::string stage_, unit_;
  std::uint64_t total_ = 0;
  Clock::time_point began_, last_drawn_;
};

}  // namespace skde::cli
