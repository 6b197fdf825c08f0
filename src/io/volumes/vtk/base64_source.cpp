#include "io/volumes/vtk/base64_source.hpp"

#include <array>
#include <cstring>
#include <string>

#include "io/volumes/refused_volume.hpp"

namespace skde::io {
namespace {

constexpr std::uint8_t kNone = 255, kBlank = 254, kPadding = 253, kEnd = 252;

constexpr std::array<std::uint8_t, 256> digit_table() {
  std::array<std::uint8_t, 256> table{};
  table.fill(kNone);
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    table[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  for (const char c : {' ', '\t', '\r', '\n'}) table[static_cast<unsigned char>(c)] = kBlank;
  table['='] = kPadding;
  table['<'] = kEnd;
  return table;
}
constexpr std::array<std::uint8_t, 256> kTable = digit_table();

class Base64Source final : public ByteSource {
 public:
  explicit Base64Source(BufferedSource& text) : text_(text) {}

  const std::string& name() const override { return text_.name(); }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  bool seekable() const override { return false; }
  void seek(std::uint64_t) override {}

  std::size_t read(char* to, std::size_t most) override {
    std::size_t done = 0;
    while (done < most) {
      if (next_ == ready_ && !decode_more()) break;
      const std::size_t count = std::min(most - done, ready_ - next_);
      std::memcpy(to + done, bytes_.data() + next_, count);
      next_ += count;
      done += count;
    }
    return done;
  }

 private:
  /// Decodes available text into bytes_; returns false at the end.
  bool decode_more() {
    next_ = ready_ = 0;
    while (ready_ == 0 && !ended_) {
      const std::string_view text = text_.peek(1).substr(0, bytes_.size() / 3 * 4);
      std::size_t taken = 0;
      while (taken < text.size() && !ended_) {
        take(kTable[static_cast<unsigned char>(text[taken])]);
        if (!ended_) ++taken;
      }
      if (text.empty()) end();
      text_.skip(taken);
    }
    return ready_ > 0;
  }

  void take(std::uint8_t digit) {
    if (digit == kBlank) return;
    if (digit == kEnd) return end();
    if (digit == kNone || (padding_ > 0 && digit != kPadding) || (digit == kPadding && count_ < 2))
      refuse_volume(name(), "its base64 data hold invalid characters; the file is broken");
    if (digit == kPadding) ++padding_;
    unit_ = unit_ << 6 | (digit == kPadding ? 0u : digit);
    if (++count_ < 4) return;
    for (unsigned byte = 0; byte < 3 - padding_; ++byte)
      bytes_[ready_++] = static_cast<char>(unit_ >> (16 - 8 * byte) & 0xff);
    unit_ = count_ = padding_ = 0;
  }

  void end() {
    ended_ = true;
    if (count_ != 0) refuse_volume(name(), "its base64 data are truncated");
  }

  BufferedSource& text_;
  std::array<char, 3 << 14> bytes_{};
  std::size_t next_ = 0, ready_ = 0;
  unsigned unit_ = 0, count_ = 0, padding_ = 0;  // of the four digits being read
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> base64_source(BufferedSource& text) {
  return std::make_unique<Base64Source>(text);
}

}  // namespace skde::io
