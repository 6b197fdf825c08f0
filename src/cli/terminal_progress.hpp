#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/report/progress.hpp"

namespace skde::cli {

/// Sets where the progress of all commands is reported instead of the terminal, for programs that
/// run commands for others. Null: on the terminal. Must not change while a command runs.
void set_progress_listener(Progress* listener) noexcept;

/// The progress of a stage.
struct StageState {
  std::string_view stage;
  std::uint64_t done = 0;
  std::uint64_t total = 0;  ///< 0 if unknown
  std::string_view unit;
  double seconds = 0;  ///< since the stage began
};

/// Returns "reading a.ply  [#####-----]  52 %  1.20 GiB/s  3 s left", at most `width` columns wide.
/// Without a total: what is done so far and the rate.
std::string progress_line(const StageState& state, std::size_t width);

/// A bar on standard error, redrawn ten times a second if that is a terminal and `visible` is set.
/// It is cleared at the beginning of the next stage and at the end. Signals cancel it.
class TerminalProgress final : public Progress {
 public:
  explicit TerminalProgress(bool visible);
  ~TerminalProgress() override;
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override;
  void update(std::uint64_t done) override;
  bool cancelled() const override;

  /// Sets a text that is shown behind the name of the stage until the next one begins.
  void note(std::string_view text);
  /// Removes the bar from the terminal.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool visible_;
  bool drawn_ = false;
  std::string stage_, note_, unit_;
  std::uint64_t total_ = 0;
  Clock::time_point began_, last_drawn_;
};

}  // namespace skde::cli
