#include "cli/terminal_progress.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "cli/cancellation.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/space/grid.hpp"

namespace skde::cli {
namespace {

constexpr std::size_t kWidestBar = 30, kNarrowestBar = 5;
constexpr std::chrono::milliseconds kRedraw{100};

Progress* elsewhere = nullptr;

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string amount(std::uint64_t done, std::string_view unit) {
  if (unit == "bytes") return format_bytes(static_cast<double>(done));
  return fmt::format("{} {}", format_count(done), unit);
}

std::string bar(double share, std::size_t width) {
  const auto full = static_cast<std::size_t>(std::lround(share * static_cast<double>(width)));
  return fmt::format("[{}{}]", std::string(full, '#'), std::string(width - full, '-'));
}

}  // namespace

void set_progress_listener(Progress* listener) noexcept { elsewhere = listener; }

std::string progress_line(const StageState& state, std::size_t width) {
  const double rate = state.seconds > 0 ? static_cast<double>(state.done) / state.seconds : 0.0;
  const std::string speed = rate > 0 ? "  " + format_rate(rate, state.unit) : "";
  std::string line(state.stage);
  if (state.total == 0) {
    if (state.done > 0) line += "  " + amount(state.done, state.unit);
    return (line + speed).substr(0, width);
  }
  const double share =
      std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.total));
  std::string after = fmt::format("{:>3.0f} %{}", 100 * share, speed);
  if (rate > 0 && share < 1)
    after += fmt::format(
        "  {} left",
        format_duration(std::ceil(static_cast<double>(state.total - state.done) / rate)));
  const std::size_t taken = line.size() + after.size() + 6;  // two gaps and the brackets
  if (taken + kNarrowestBar > width) return (line + "  " + after).substr(0, width);
  return fmt::format("{}  {}  {}", line, bar(share, std::min(kWidestBar, width - taken)), after);
}

TerminalProgress::TerminalProgress(bool visible)
    : visible_(visible && !elsewhere && isatty(STDERR_FILENO) == 1),
      began_(Clock::now()),
      last_drawn_(began_) {}

TerminalProgress::~TerminalProgress() { clear(); }

void TerminalProgress::begin(std::string_view stage, std::uint64_t total, std::string_view unit) {
  clear();
  if (elsewhere) elsewhere->begin(stage, total, unit);
  stage_ = printable(stage);
  note_.clear();
  unit_ = unit;
  total_ = total;
  began_ = Clock::now();
}

void TerminalProgress::update(std::uint64_t done) {
  if (elsewhere) elsewhere->update(done);
  if (!visible_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_drawn_ < kRedraw) return;
  last_drawn_ = now;
  drawn_ = true;
  const std::chrono::duration<double> since = now - began_;
  // One column stays free: some terminals break the line when the last one is filled.
  const std::string line =
      progress_line({stage_ + note_, done, total_, unit_, since.count()}, terminal_width() - 1);
  tell(fmt::format("\r{}\033[K", line));
}

bool TerminalProgress::cancelled() const { return cancel_requested(); }

void TerminalProgress::note(std::string_view text) { note_ = printable(text); }

void TerminalProgress::clear() {
  if (!drawn_) return;
  tell("\r\033[K");
  drawn_ = false;
}

}  // namespace skde::cli
