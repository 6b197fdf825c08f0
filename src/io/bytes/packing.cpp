#include "io/bytes/packing.hpp"

#include <bzlib.h>
#include <fmt/core.h>
#include <lzma.h>
#include <strings.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <utility>

#include "core/report/error.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kPackedBytes = std::size_t{1} << 17;  // unpacked at a time
constexpr int kLargestWindowLog = 27;                       // 128 MiB
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << kLargestWindowLog;
constexpr std::size_t kSignatureBytes = 10;

/// What a step consumed of the packed bytes, and what it produced.
struct Step {
  std::size_t taken = 0, given = 0;
  bool finished = false;       ///< the end of this packed stream; another may follow
  std::string_view problem{};  ///< why unpacking failed; empty if it did not
};

/// Interface of one decompressor.
class Unpacker {
 public:
  virtual ~Unpacker() = default;
  virtual Step step(std::string_view packed, char* to, std::size_t most) = 0;
};

class GzipUnpacker final : public Unpacker {
 public:
  static constexpr int kGzipOrZlib = MAX_WBITS + 32, kRaw = -MAX_WBITS;

  explicit GzipUnpacker(int window_bits = kGzipOrZlib) {
    if (inflateInit2(&stream_, window_bits) != Z_OK) throw std::bad_alloc();
  }
  ~GzipUnpacker() override { inflateEnd(&stream_); }
  GzipUnpacker(const GzipUnpacker&) = delete;
  GzipUnpacker& operator=(const GzipUnpacker&) = delete;

  Step step(std::string_view packed, char* to, std::size_t most) override {
    // zlib's input pointer is not const, but zlib does not write to it.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(std::min(most, kPackedBytes));
    const uInt room = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      return Step{0, 0, false, stream_.msg != nullptr ? stream_.msg : "broken gzip data"};
    return {packed.size() - stream_.avail_in, room - stream_.avail_out, code == Z_STREAM_END, {}};
  }

 private:
  z_stream stream_{};
};

class Bzip2Unpacker final : public Unpacker {
 public:
  Bzip2Unpacker() {
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  ~Bzip2Unpacker() override { BZ2_bzDecompressEnd(&stream_); }
  Bzip2Unpacker(const Bzip2Unpacker&) = delete;
  Bzip2Unpacker& operator=(const Bzip2Unpacker&) = delete;

  Step step(std::string_view packed, char* to, std::size_t most) override {
    stream_.next_in = const_cast<char*>(packed.data());
    stream_.avail_in = static_cast<unsigned>(packed.size());
    stream_.next_out = to;
    stream_.avail_out = static_cast<unsigned>(std::min(most, kPackedBytes));
    const unsigned room = stream_.avail_out;
    const int code = BZ2_bzDecompress(&stream_);
    if (code == BZ_MEM_ERROR) throw std::bad_alloc();
    if (code != BZ_OK && code != BZ_STREAM_END) return Step{0, 0, false, "broken bzip2 data"};
    return {packed.size() - stream_.avail_in, room - stream_.avail_out, code == BZ_STREAM_END, {}};
  }

 private:
  bz_stream stream_{};
};

class XzUnpacker final : public Unpacker {
 public:
  XzUnpacker() {
    if (lzma_stream_decoder(&stream_, kMostMemory, 0) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzUnpacker() override { lzma_end(&stream_); }
  XzUnpacker(const XzUnpacker&) = delete;
  XzUnpacker& operator=(const XzUnpacker&) = delete;

  Step step(std::string_view packed, char* to, std::size_t most) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream_.avail_in = packed.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream_.avail_out = most;
    const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
    if (code == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (code == LZMA_MEMLIMIT_ERROR)
      return Step{0, 0, false, "it needs more than 128 MiB of memory"};
    if (code != LZMA_OK && code != LZMA_STREAM_END && code != LZMA_BUF_ERROR)
      return Step{0, 0, false, "broken xz data"};
    return {
        packed.size() - stream_.avail_in, most - stream_.avail_out, code == LZMA_STREAM_END, {}};
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class ZstdUnpacker final : public Unpacker {
 public:
  ZstdUnpacker() : stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kLargestWindowLog);
  }
  ~ZstdUnpacker() override { ZSTD_freeDStream(stream_); }
  ZstdUnpacker(const ZstdUnpacker&) = delete;
  ZstdUnpacker& operator=(const ZstdUnpacker&) = delete;

  Step step(std::string_view packed, char* to, std::size_t most) override {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{to, most, 0};
    const std::size_t left = ZSTD_decompressStream(stream_, &out, &in);
    if (ZSTD_isError(left) != 0) return Step{0, 0, false, ZSTD_getErrorName(left)};
    return {in.pos, out.pos, left == 0, {}};
  }

 private:
  ZSTD_DStream* stream_;
};

template <class Kind>
std::unique_ptr<Unpacker> make_unpacker() {
  return std::make_unique<Kind>();
}

struct Packer {
  std::string_view extension;
  bool (*has_signature)(std::string_view head);
  std::unique_ptr<Unpacker> (*make)();
};

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b\x08"); }
bool is_xz(std::string_view head) {
  return head.starts_with(
      std::string_view("\xfd"
                       "7zXZ\0",
                       6));
}
bool is_zstd(std::string_view head) { return head.starts_with("\x28\xb5\x2f\xfd"); }
/// The level is followed by the first block or, in an empty file, by the end marker.
bool is_bzip2(std::string_view head) {
  return head.size() == kSignatureBytes && head.starts_with("BZh") &&
         (head.substr(4, 6) == "1AY&SY" || head.substr(4, 6) == "\x17\x72\x45\x38\x50\x90");
}

constexpr std::array<Packer, 4> kPackers{{{".gz", is_gzip, make_unpacker<GzipUnpacker>},
                                          {".bz2", is_bzip2, make_unpacker<Bzip2Unpacker>},
                                          {".xz", is_xz, make_unpacker<XzUnpacker>},
                                          {".zst", is_zstd, make_unpacker<ZstdUnpacker>}}};

const Packer* packer_of(BufferedSource& source) {
  const std::string_view head = source.peek(kSignatureBytes).substr(0, kSignatureBytes);
  const auto* const found = std::ranges::find_if(
      kPackers, [&](const Packer& packer) { return packer.has_signature(head); });
  return found == kPackers.end() ? nullptr : found;
}

class UnpackedSource final : public ByteSource {
 public:
  /// `packer` is the format of streams that may follow the first one; null if none may.
  UnpackedSource(BufferedSource packed, const Packer* packer, std::unique_ptr<Unpacker> first)
      : packed_(std::move(packed)), packer_(packer), unpacker_(std::move(first)) {}

  const std::string& name() const override { return packed_.name(); }

  std::size_t read(char* to, std::size_t most) override {
    while (most > 0) {
      if (!unpacker_ && !begin_next()) return 0;
      const std::string_view ahead = packed_.peek(1);
      const std::string_view packed = ahead.substr(0, kPackedBytes);
      const Step step = unpacker_->step(packed, to, most);
      if (!step.problem.empty()) fail(step.problem);
      packed_.skip(step.taken);
      if (step.finished) unpacker_.reset();
      if (step.given > 0) return step.given;
      if (!step.finished && step.taken == 0)
        fail(packed.empty() ? "the compressed data end early" : "the compressed data are invalid");
    }
    return 0;
  }

 private:
  /// Packed files may be concatenated, and padded with zeros.
  bool begin_next() {
    while (packed_.peek(1).starts_with('\0')) packed_.skip(1);
    if (packed_.peek(1).empty()) return false;
    if (packer_ == nullptr || packer_of(packed_) != packer_)
      fail("other bytes follow the compressed data");
    unpacker_ = packer_->make();
    return true;
  }

  [[noreturn]] void fail(std::string_view reason) {
    throw Error(
        ErrorKind::input,
        fmt::format("{}: byte {}: decompression failed: {}", name(), packed_.position(), reason),
        {{}, "fetch it again, or decompress it yourself"});
  }

  BufferedSource packed_;
  const Packer* packer_;
  std::unique_ptr<Unpacker> unpacker_;
};

}  // namespace

BufferedSource decompressed(BufferedSource source) {
  const Packer* const packer = packer_of(source);
  if (packer == nullptr) return source;
  return BufferedSource(
      std::make_unique<UnpackedSource>(std::move(source), packer, packer->make()));
}

BufferedSource inflated(std::unique_ptr<ByteSource> packed) {
  return BufferedSource(
      std::make_unique<UnpackedSource>(BufferedSource(std::move(packed)), nullptr,
                                       std::make_unique<GzipUnpacker>(GzipUnpacker::kRaw)));
}

BufferedSource unpacked_zlib(BufferedSource packed) {
  const Packer* const packer = packer_of(packed);
  return BufferedSource(std::make_unique<UnpackedSource>(std::move(packed), packer,
                                                         std::make_unique<GzipUnpacker>()));
}

BufferedSource unpacked_bzip2(BufferedSource packed) {
  const Packer* const packer = packer_of(packed);
  return BufferedSource(std::make_unique<UnpackedSource>(std::move(packed), packer,
                                                         std::make_unique<Bzip2Unpacker>()));
}

std::string_view without_packer_extension(std::string_view name) {
  for (const auto& [extension, has_signature, make] : kPackers)
    if (const std::size_t bare = name.size() - std::min(name.size(), extension.size());
        strncasecmp(name.data() + bare, extension.data(), extension.size()) == 0)
      return name.substr(0, bare);
  return name;
}

bool pack_zlib(std::string_view bytes, int level, std::vector<unsigned char>& packed) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  packed.resize(size);
  const bool good = compress2(packed.data(), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                              static_cast<uLong>(bytes.size()), level) == Z_OK;
  packed.resize(good ? size : 0);
  return good;
}

}  // namespace skde::io
