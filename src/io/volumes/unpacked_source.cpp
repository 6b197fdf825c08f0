#include "io/volumes/unpacked_source.hpp"

#include <bzlib.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "io/volumes/refused_volume.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kPackedBytes = std::size_t{1} << 18;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  // the libraries count in 32 bits

enum class Step { goes_on, member_ends, broken };

/// zlib and gzip, whichever the first bytes say.
class Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, 15 + 32) != Z_OK)
      throw Error(ErrorKind::resources, "zlib has no memory left to unpack with");
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  z_stream& stream() { return stream_; }
  void set_input(char* bytes, std::size_t count) {
    stream_.next_in = reinterpret_cast<Bytef*>(bytes);
    stream_.avail_in = static_cast<uInt>(count);
  }
  void set_output(char* bytes, std::size_t count) {
    stream_.next_out = reinterpret_cast<Bytef*>(bytes);
    stream_.avail_out = static_cast<uInt>(count);
  }
  Step step() {
    const int state = inflate(&stream_, Z_NO_FLUSH);
    if (state == Z_STREAM_END) return Step::member_ends;
    return state == Z_OK || state == Z_BUF_ERROR ? Step::goes_on : Step::broken;
  }
  void restart() { inflateReset(&stream_); }

 private:
  z_stream stream_{};
};

class Bunzipper {
 public:
  Bunzipper() { start(); }
  Bunzipper(const Bunzipper&) = delete;
  Bunzipper& operator=(const Bunzipper&) = delete;
  ~Bunzipper() { BZ2_bzDecompressEnd(&stream_); }

  bz_stream& stream() { return stream_; }
  void set_input(char* bytes, std::size_t count) {
    stream_.next_in = bytes;
    stream_.avail_in = static_cast<unsigned>(count);
  }
  void set_output(char* bytes, std::size_t count) {
    stream_.next_out = bytes;
    stream_.avail_out = static_cast<unsigned>(count);
  }
  Step step() {
    const int state = BZ2_bzDecompress(&stream_);
    if (state == BZ_STREAM_END) return Step::member_ends;
    return state == BZ_OK ? Step::goes_on : Step::broken;
  }
  void restart() {
    const bz_stream before = stream_;
    BZ2_bzDecompressEnd(&stream_);
    start();
    set_input(before.next_in, before.avail_in);
    set_output(before.next_out, before.avail_out);
  }

 private:
  void start() {
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK)
      throw Error(ErrorKind::resources, "bzip2 has no memory left to unpack with");
  }

  bz_stream stream_{};
};

template <class Unpacker>
class UnpackedSource final : public ByteSource {
 public:
  explicit UnpackedSource(BufferedSource& packed) : packed_(packed), bytes_(kPackedBytes) {}

  const std::string& name() const override { return packed_.name(); }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  bool seekable() const override { return false; }
  void seek(std::uint64_t) override {}

  std::size_t read(char* to, std::size_t most) override {
    if (most == 0 || ended_) return 0;
    const std::size_t room = std::min(most, kMostAtOnce);
    unpacker_.set_output(to, room);
    while (unpacker_.stream().avail_out == room) {
      if (!has_input()) {
        if (inside_)
          refuse_volume(name(), "its packed values end too early; the file is cut short");
        ended_ = true;
        break;
      }
      inside_ = true;
      const Step step = unpacker_.step();
      if (step == Step::broken)
        refuse_volume(name(), "its packed values cannot be unpacked; the file is broken");
      if (step == Step::goes_on) continue;
      unpacker_.restart();
      inside_ = false;
    }
    return room - unpacker_.stream().avail_out;
  }

 private:
  bool has_input() {
    if (unpacker_.stream().avail_in == 0)
      unpacker_.set_input(bytes_.data(), packed_.read(bytes_.data(), bytes_.size()));
    return unpacker_.stream().avail_in > 0;
  }

  BufferedSource& packed_;
  std::vector<char> bytes_;
  Unpacker unpacker_;
  bool inside_ = true;  // of a member; there must be one
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> inflated_source(BufferedSource& packed) {
  return std::make_unique<UnpackedSource<Inflater>>(packed);
}

std::unique_ptr<ByteSource> bunzipped_source(BufferedSource& packed) {
  return std::make_unique<UnpackedSource<Bunzipper>>(packed);
}

}  // namespace skde::io
