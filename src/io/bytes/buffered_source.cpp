#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 20;

}  // namespace

struct BufferedSource::State {
  std::unique_ptr<ByteSource> source;
  std::unique_ptr<char[]> buffer;
  std::size_t capacity = 0;
  std::size_t begin = 0;       // first byte not yet handed out
  std::size_t end = 0;         // one past the last byte that was read
  std::uint64_t position = 0;  // position of `begin` in the source
  std::uint64_t ahead_until = std::numeric_limits<std::uint64_t>::max();
  bool exhausted = false;
  char line_end = 0;  // line end of the first line; 0 until it is asked for

  std::size_t available() const { return end - begin; }
  const char* data() const { return buffer.get() + begin; }

  void take(std::size_t count) {
    begin += count;
    position += count;
  }

  /// Moves the available bytes to the front of a buffer of `wanted` bytes.
  void make_room(std::size_t wanted) {
    const std::size_t kept = available();
    if (wanted != capacity) {
      auto larger = std::make_unique_for_overwrite<char[]>(wanted);
      if (kept > 0) std::memcpy(larger.get(), data(), kept);
      buffer = std::move(larger);
      capacity = wanted;
    } else if (kept > 0) {
      std::memmove(buffer.get(), data(), kept);
    }
    begin = 0;
    end = kept;
  }

  /// Reads until `count` bytes are available or the source ends.
  void fill(std::size_t count) {
    if (available() >= count || exhausted) return;
    make_room(std::max(capacity, count));
    while (end < count && !exhausted) {
      const std::uint64_t next = position + end;  // `begin` is 0
      const std::uint64_t ahead = ahead_until > next ? ahead_until - next : 0;
      const std::size_t most = static_cast<std::size_t>(
          std::min<std::uint64_t>(capacity - end, std::max<std::uint64_t>(ahead, count - end)));
      const std::size_t got = source->read(buffer.get() + end, most);
      end += got;
      exhausted = got == 0;
    }
  }

  /// Lines end in '\r' if the first line ends in '\r' that no '\n' follows.
  void find_line_end() {
    std::size_t searched = 0;
    while (line_end == 0) {
      const std::string_view ahead(data(), available());
      const std::size_t found = ahead.find_first_of("\r\n", searched);
      if (found != ahead.npos && (found + 1 < ahead.size() || exhausted)) {
        const bool alone = ahead[found] == '\r' && !ahead.substr(found + 1).starts_with('\n');
        line_end = alone ? '\r' : '\n';
      } else if (exhausted || ahead.size() >= kLongestLine) {
        line_end = '\n';
      } else {
        searched = std::min(found, ahead.size());
        // The request doubles each time, so that a long line is not copied once per byte.
        fill(std::max(ahead.size() + 1, std::min(2 * ahead.size(), kLongestLine)));
      }
    }
  }
};

BufferedSource::BufferedSource(std::unique_ptr<ByteSource> source, std::size_t buffer_bytes)
    : state_(std::make_unique<State>()) {
  state_->source = std::move(source);
  state_->make_room(std::max<std::size_t>(buffer_bytes, 1));
}
BufferedSource::BufferedSource(BufferedSource&&) noexcept = default;
BufferedSource& BufferedSource::operator=(BufferedSource&&) noexcept = default;
BufferedSource::~BufferedSource() = default;

const std::string& BufferedSource::name() const { return state_->source->name(); }
std::optional<std::uint64_t> BufferedSource::size() const { return state_->source->size(); }
std::uint64_t BufferedSource::position() const { return state_->position; }
bool BufferedSource::seekable() const { return state_->source->seekable(); }
int BufferedSource::descriptor() const { return state_->source->descriptor(); }
void BufferedSource::read_ahead_until(std::uint64_t position) { state_->ahead_until = position; }

std::string_view BufferedSource::peek(std::size_t count) {
  state_->fill(count);
  return {state_->data(), state_->available()};
}

std::optional<std::string_view> BufferedSource::line() {
  State& s = *state_;
  if (s.line_end == 0) s.find_line_end();
  std::size_t searched = 0;
  while (true) {
    const char* found = nullptr;
    if (s.available() > searched)
      found = static_cast<const char*>(
          std::memchr(s.data() + searched, s.line_end, s.available() - searched));
    if (found != nullptr || (s.exhausted && s.available() > 0)) {
      std::string_view text(s.data(),
                            found ? static_cast<std::size_t>(found - s.data()) : s.available());
      s.take(text.size() + (found ? 1 : 0));
      if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
      return text;
    }
    if (s.exhausted) return std::nullopt;
    searched = s.available();
    if (searched >= kLongestLine)
      throw Error(
          ErrorKind::input,
          fmt::format(
              "{}: byte {}: a line longer than 1 MiB begins here; check that it is a text file",
              name(), s.position));
    s.fill(searched == 0 ? 1 : std::min(2 * searched, kLongestLine));
  }
}

bool BufferedSource::skip_line() {
  State& s = *state_;
  if (s.line_end == 0) s.find_line_end();
  s.fill(1);
  const bool any = s.available() > 0;
  while (s.available() > 0) {
    const auto* const found =
        static_cast<const char*>(std::memchr(s.data(), s.line_end, s.available()));
    s.take(found ? static_cast<std::size_t>(found - s.data()) + 1 : s.available());
    if (found) break;
    s.fill(1);
  }
  return any;
}

std::size_t BufferedSource::read(char* to, std::size_t most) {
  State& s = *state_;
  std::size_t done = 0;
  while (done < most) {
    if (s.available() > 0) {
      const std::size_t count = std::min(most - done, s.available());
      std::memcpy(to + done, s.data(), count);
      s.take(count);
      done += count;
    } else if (s.exhausted) {
      break;
    } else if (most - done >= s.capacity) {  // large reads bypass the buffer
      const std::size_t got = s.source->read(to + done, most - done);
      s.position += got;
      done += got;
      s.exhausted = got == 0;
    } else {
      s.fill(1);
    }
  }
  return done;
}

std::uint64_t BufferedSource::skip(std::uint64_t count) {
  State& s = *state_;
  if (count > s.available() && seekable()) {
    const std::uint64_t ahead = std::max(size().value(), s.position) - s.position;
    const std::uint64_t skipped = std::min(count, ahead);
    seek(s.position + skipped);
    return skipped;
  }
  std::uint64_t skipped = 0;
  while (skipped < count) {
    s.fill(1);
    if (s.available() == 0) break;
    const auto step =
        static_cast<std::size_t>(std::min<std::uint64_t>(count - skipped, s.available()));
    s.take(step);
    skipped += step;
  }
  return skipped;
}

void BufferedSource::seek(std::uint64_t position) {
  State& s = *state_;
  s.source->seek(position);
  s.begin = s.end = 0;
  s.position = position;
  s.exhausted = false;
}

}  // namespace skde::io
