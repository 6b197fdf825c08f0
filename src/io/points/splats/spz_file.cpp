#include "io/points/splats/splat_format_files.hpp"

#include <fmt/core.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "io/bytes/packing.hpp"
#include "io/points/splats/splat_cloud.hpp"
#include "io/points/splats/spz_attributes.hpp"

namespace skde::io {
namespace {

constexpr std::string_view kMagic = "NGSP";
constexpr std::size_t kOldHeaderBytes = 16, kHeaderBytes = 32, kStreamRowBytes = 16;
constexpr std::uint8_t kAntialiased = 0x01, kHasExtensions = 0x02;
constexpr std::uint8_t kHasLevels = 0x80;  // a tree of levels of detail, as other programs add
constexpr std::size_t kSplatsAtOnce = std::size_t{1} << 14;
constexpr int kMostFractionalBits = 30, kMostBands = 4;

std::size_t bytes_of_splat(const SpzHeader& header) {
  std::size_t bytes = 0;
  for (const SpzAttribute& attribute : spz_attributes()) bytes += attribute.width(header);
  return bytes;
}

// --------------------------------------------------------------------------------------- reading

Error broken(const BufferedSource& source, std::string_view what, ErrorAdvice advice = {}) {
  return Error(ErrorKind::input, fmt::format("{}: {}", source.name(), what), std::move(advice));
}

template <class Value>
Value value_at(const char* bytes) {
  Value value{};
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

SpzHeader read_header(BufferedSource& source) {
  std::array<char, kHeaderBytes> bytes{};
  read_exactly(source, bytes.data(), kOldHeaderBytes, "header");
  if (!is_spz({bytes.data(), bytes.size()}))
    throw broken(source, "does not begin with NGSP; it is broken or not an .spz file");
  SpzHeader header;
  header.version = value_at<std::uint32_t>(&bytes[4]);
  if (header.version < kOldestSpz || header.version > kNewestSpz)
    throw broken(source, fmt::format("has version {} of .spz; versions {} to {} can be read",
                                     header.version, kOldestSpz, kNewestSpz));
  if (header.version >= kNewestSpz)
    read_exactly(source, &bytes[kOldHeaderBytes], kHeaderBytes - kOldHeaderBytes, "header");
  header.count = value_at<std::uint32_t>(&bytes[8]);
  header.bands = static_cast<std::uint8_t>(bytes[12]);
  header.fractional_bits = static_cast<std::uint8_t>(bytes[13]);
  header.flags = static_cast<std::uint8_t>(bytes[14]);
  header.streams = static_cast<std::uint8_t>(bytes[15]);
  header.table_at = value_at<std::uint32_t>(&bytes[16]);
  if (header.bands > kMostBands)
    throw broken(source, fmt::format("declares {} bands of harmonics; there are at most {}",
                                     header.bands, kMostBands));
  if (header.fractional_bits > kMostFractionalBits)
    throw broken(source, fmt::format("declares {} fractional bits of coordinates; there are at "
                                     "most {}",
                                     header.fractional_bits, kMostFractionalBits));
  if ((header.flags & kHasLevels) != 0)
    throw broken(source, "holds a tree of levels of detail, whose splats stand for each other",
                 {{}, "write the finest level alone to another file"});
  return header;
}

/// Appends an attribute of all splats. The cloud grows with the bytes that come.
void read_attribute(BufferedSource& source, const SpzHeader& header, const SpzAttribute& attribute,
                    SplatCloud& splats) {
  const std::size_t width = attribute.width(header);
  std::vector<std::uint8_t> bytes(width * std::min<std::size_t>(kSplatsAtOnce, header.count));
  for (std::size_t done = 0; width > 0 && done < header.count;) {
    const std::size_t count = std::min(kSplatsAtOnce, header.count - done);
    read_exactly(source, bytes.data(), count * width, attribute.what);
    for (std::size_t i = 0; i < count; ++i)
      attribute.take(header, bytes.data() + i * width, splats);
    done += count;
  }
}

/// The next bytes of a source, as a source of its own.
class StreamSource final : public ByteSource {
 public:
  StreamSource(BufferedSource& source, std::uint64_t bytes) : source_(source), left_(bytes) {}
  const std::string& name() const override { return source_.name(); }
  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count =
        source_.read(to, static_cast<std::size_t>(std::min<std::uint64_t>(most, left_)));
    left_ -= count;
    return count;
  }

 private:
  BufferedSource& source_;
  std::uint64_t left_;
};

/// A row of the table of streams.
struct Stream {
  std::uint64_t packed = 0, unpacked = 0;  ///< bytes
};

/// Throws unless the streams are those of the header and can lie in what is left of the file.
void check_streams(const BufferedSource& source, const SpzHeader& header,
                   const std::vector<Stream>& streams) {
  std::uint64_t packed = 0;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const SpzAttribute& attribute = spz_attributes()[i];
    const std::uint64_t expected = std::uint64_t{header.count} * attribute.width(header);
    if (streams[i].unpacked != expected)
      throw broken(source,
                   fmt::format("its table declares {} bytes of {}, but {} splats have {}; "
                               "the file is broken",
                               streams[i].unpacked, attribute.what, header.count, expected));
    if (__builtin_add_overflow(packed, streams[i].packed, &packed) ||
        (source.size() && packed > *source.size() - std::min(*source.size(), source.position())))
      throw broken(source, fmt::format("its table declares more bytes of {} than follow it; the "
                                       "file is truncated or broken",
                                       attribute.what));
  }
}

/// Throws for more splats than files of this size have. Published readers take 1024 bytes unpacked
/// for one that is packed; files of very many equal splats may have more, up to 2^20 splats.
void require_likely(const BufferedSource& source, const SpzHeader& header) {
  constexpr std::uint64_t kMostRatio = 1024, kAlwaysLikely = std::uint64_t{1} << 20;
  if (header.count == 0) throw broken(source, "holds no splats");
  const std::uint64_t unpacked = kept_splat_bytes(header.count, header.bands);
  const bool unsized = !source.size();
  const std::uint64_t most = unsized ? std::uint64_t{1} << 30 : *source.size() * kMostRatio;
  if (header.count > kAlwaysLikely && unpacked > most)
    throw broken(source,
                 fmt::format("declares {} splats, {} bytes in memory, more than its size "
                             "allows; it is broken, or made to fill the memory",
                             header.count, unpacked),
                 {{}, unsized ? "give it as a file, not packed again nor as a pipe" : ""});
}

/// Returns the bytes of extensions.
std::string read_streams(BufferedSource& source, const SpzHeader& header, SplatCloud& splats,
                         std::int64_t most_bytes) {
  require_likely(source, header);
  require_kept_bytes(source.name(), header.count, header.bands, most_bytes);
  const std::size_t expected = header.bands > 0 ? 6 : 5;
  if (header.streams != expected || header.table_at < kHeaderBytes)
    throw broken(source, fmt::format("declares {} streams with their table at byte {}, not {} "
                                     "after its header of {} bytes; it is broken",
                                     header.streams, header.table_at, expected, kHeaderBytes));
  if (header.table_at - kHeaderBytes > kMostExtensionBytes)
    throw broken(source, fmt::format("declares {} bytes of extensions; the file is broken",
                                     header.table_at - kHeaderBytes));
  std::string extensions(header.table_at - kHeaderBytes, '\0');
  read_exactly(source, extensions.data(), extensions.size(), "extensions");
  std::vector<Stream> streams(expected);
  for (Stream& stream : streams) {
    std::array<char, kStreamRowBytes> row{};
    read_exactly(source, row.data(), row.size(), "table of streams");
    stream = {value_at<std::uint64_t>(row.data()), value_at<std::uint64_t>(&row[8])};
  }
  check_streams(source, header, streams);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const SpzAttribute& attribute = spz_attributes()[i];
    if (!source.peek(4).starts_with("\x28\xb5\x2f\xfd"))
      throw broken(source, fmt::format("its {} do not begin as zstd data do; the file is broken",
                                       attribute.what));
    const std::uint64_t end = source.position() + streams[i].packed;
    BufferedSource unpacked =
        decompressed(BufferedSource(std::make_unique<StreamSource>(source, streams[i].packed)));
    read_attribute(unpacked, header, attribute, splats);
    if (!unpacked.peek(1).empty() || source.position() != end)
      throw broken(source, fmt::format("its {} hold more bytes than its table declares; the file "
                                       "is broken",
                                       attribute.what));
  }
  return extensions;
}

// --------------------------------------------------------------------------------------- writing

/// Throws Error(input) about a number of splat i that the format cannot hold.
[[noreturn]] void refuse(const std::string& path, std::size_t i, std::string_view what,
                         std::string_view mend) {
  throw Error(ErrorKind::input, fmt::format("{}: splat {}: {}", path, i + 1, what),
              {"output", std::string(mend)});
}

/// The most fractional bits with which all coordinates are integers of 24 bits.
int fractional_bits_of(const std::string& path, const SplatCloud& splats) {
  constexpr double kMost = (1 << 23) - 1;
  double largest = 0;
  for (std::size_t k = 0; k < splats.xyz.size(); ++k) {
    const double size = std::abs(splats.xyz[k]);
    if (!(std::round(size) <= kMost))
      refuse(path, k / 3,
             fmt::format("{} is {}, beyond {}, the largest coordinate of .spz", "xyz"[k % 3],
                         splats.xyz[k], kMost),
             "move the cloud to the origin, or write .ply");
    largest = std::max(largest, size);
  }
  int bits = kMostFractionalBits;
  while (bits > 0 && std::round(std::ldexp(largest, bits)) > kMost) --bits;
  return bits;
}

SpzHeader header_for(const std::string& path, const SplatCloud& splats, int version) {
  constexpr float kMostScale = 255.0F / 16 - 10 + 1.0F / 32;
  constexpr std::size_t kMostSplats = 0x7fffffff;  // published readers count with a sign
  if (splats.size() > kMostSplats)
    throw Error(
        ErrorKind::input,
        fmt::format("{}: has {} splats; .spz holds at most {}", path, splats.size(), kMostSplats),
        {"output", "write .ply"});
  for (std::size_t k = 0; k < splats.log_scales.size(); ++k)
    if (!(splats.log_scales[k] <= kMostScale))
      refuse(path, k / 3,
             fmt::format("its scale exp({}) is beyond exp(5.9375) = 379, the largest of .spz",
                         splats.log_scales[k]),
             "use a larger unit of length, or write .ply");
  SpzHeader header;
  header.version = static_cast<std::uint32_t>(version);
  header.count = static_cast<std::uint32_t>(splats.size());
  header.bands = splats.bands;
  header.flags = splats.antialiased ? kAntialiased : 0;
  header.fractional_bits = fractional_bits_of(path, splats);
  header.streams = version < kNewestSpz ? 0 : splats.bands > 0 ? 6 : 5;
  return header;
}

std::string spz_header_bytes(const SpzHeader& header) {
  std::string bytes(header.version < kNewestSpz ? kOldHeaderBytes : kHeaderBytes, '\0');
  kMagic.copy(bytes.data(), kMagic.size());
  std::memcpy(&bytes[4], &header.version, 4);
  std::memcpy(&bytes[8], &header.count, 4);
  bytes[12] = static_cast<char>(header.bands);
  bytes[13] = static_cast<char>(header.fractional_bits);
  bytes[14] = static_cast<char>(header.flags);
  bytes[15] = static_cast<char>(header.streams);
  if (header.version >= kNewestSpz) std::memcpy(&bytes[16], &header.table_at, 4);
  return bytes;
}

/// Hands the bytes of all attributes to put(attribute, bytes), many splats at a time.
template <class Put>
void pack(const std::string& path, const SpzHeader& header, const SplatCloud& splats,
          Progress& progress, const Put& put) {
  progress.begin("writing " + path, splats.size() * bytes_of_splat(header), "bytes");
  std::uint64_t done = 0;
  std::string bytes;
  for (const SpzAttribute& attribute : spz_attributes()) {
    const std::size_t width = attribute.width(header);
    for (std::size_t first = 0; width > 0 && first < splats.size(); first += kSplatsAtOnce) {
      const std::size_t count = std::min(kSplatsAtOnce, splats.size() - first);
      bytes.resize(count * width);
      for (std::size_t i = 0; i < count; ++i)
        attribute.give(header, splats, first + i,
                       reinterpret_cast<std::uint8_t*>(bytes.data()) + i * width);
      progress.throw_if_cancelled();
      put(attribute, bytes);
      progress.update(done += bytes.size());
    }
  }
}

/// Packs what is written to a file by gzip.
class GzipOutput {
 public:
  explicit GzipOutput(OutputFile& file) : file_(file) {
    constexpr int kGzip = 16 + MAX_WBITS, kMemory = 9;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~GzipOutput() { deflateEnd(&stream_); }
  GzipOutput(const GzipOutput&) = delete;
  GzipOutput& operator=(const GzipOutput&) = delete;

  void write(std::string_view bytes) { deflate_all(bytes, Z_NO_FLUSH); }
  void finish() { deflate_all({}, Z_FINISH); }

 private:
  void deflate_all(std::string_view bytes, int flush) {
    // zlib's input pointer is not const, but zlib does not write to it.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      stream_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&stream_, flush);
      file_.write(packed_.data(), packed_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  OutputFile& file_;
  z_stream stream_{};
  std::vector<char> packed_ = std::vector<char>(1 << 16);
};

void write_gzip(const std::string& path, const SpzHeader& header, const SplatCloud& splats,
                Progress& progress) {
  OutputFile file(path);
  GzipOutput gzip(file);
  gzip.write(spz_header_bytes(header));
  pack(path, header, splats, progress,
       [&](const SpzAttribute&, std::string_view bytes) { gzip.write(bytes); });
  gzip.finish();
  file.commit();
}

std::string packed_by_zstd(std::string_view bytes) {
  constexpr int kLevel = 9;
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kLevel);
  if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // the only reason, given room enough
  packed.resize(size);
  return packed;
}

void write_zstd(const std::string& path, const SpzHeader& header, const SplatCloud& splats,
                Progress& progress) {
  std::string table, packed, stream;
  pack(path, header, splats, progress, [&](const SpzAttribute& attribute, std::string_view bytes) {
    stream += bytes;
    if (stream.size() < splats.size() * attribute.width(header)) return;
    const std::string one = packed_by_zstd(stream);
    const std::array<std::uint64_t, 2> row{one.size(), stream.size()};
    table.append(reinterpret_cast<const char*>(row.data()), sizeof row);
    packed += one;
    stream.clear();
  });
  OutputFile file(path);
  file.write(spz_header_bytes(header));
  file.write(table);
  file.write(packed);
  file.commit();
}

}  // namespace

bool is_spz(std::string_view head) { return head.starts_with(kMagic); }

SplatCloud read_spz(BufferedSource source, std::int64_t most_bytes) {
  source = decompressed(std::move(source));
  const SpzHeader header = read_header(source);
  SplatCloud splats;
  splats.bands = header.bands;
  splats.antialiased = (header.flags & kAntialiased) != 0;
  std::string extensions;
  if (header.version >= kNewestSpz) {
    extensions = read_streams(source, header, splats, most_bytes);
  } else {
    require_splat_bytes(source, header.count, bytes_of_splat(header), header.bands, most_bytes);
    for (const SpzAttribute& attribute : spz_attributes())
      read_attribute(source, header, attribute, splats);
    extensions.resize((header.flags & kHasExtensions) != 0 ? kMostExtensionBytes : 0);
    extensions.resize(source.read(extensions.data(), extensions.size()));
  }
  skip_rest(source);
  if ((header.flags & kHasExtensions) != 0) apply_spz_extensions(source.name(), extensions, splats);
  return splats;
}

void write_spz(const std::string& path, const SplatCloud& splats, Progress& progress, int version) {
  const SpzHeader header = header_for(path, splats, version);
  (version < kNewestSpz ? write_gzip : write_zstd)(path, header, splats, progress);
}

}  // namespace skde::io
