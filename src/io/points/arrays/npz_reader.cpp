#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/bytes/packing.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/text/text_fields.hpp"
#include "io/values/scalar_type.hpp"

namespace skde::io {
namespace {

constexpr std::string_view kSignature = "PK\x03\x04";
constexpr std::size_t kEntryHeaderBytes = 30;
constexpr std::uint16_t kStored = 0, kDeflated = 8;
constexpr std::uint16_t kEncrypted = 1 << 0, kSizeBehind = 1 << 3;
constexpr std::uint32_t kInZip64 = 0xffffffff;

/// The header in front of a member's bytes.
struct MemberHeader {
  std::string name;
  std::uint16_t flags = 0, method = 0;
  std::uint64_t packed_bytes = 0, bytes = 0;

  /// The sizes follow the bytes, so the end of the bytes is unknown.
  bool endless() const { return (flags & kSizeBehind) != 0 && packed_bytes == 0; }
};

[[noreturn]] void refuse_archive(const BufferedSource& archive, std::string_view why) {
  throw Error(ErrorKind::input, fmt::format("{}: byte {}: {}; the archive is broken",
                                            archive.name(), archive.position(), why));
}

std::string take(BufferedSource& archive, std::size_t count) {
  std::string bytes(count, '\0');
  if (archive.read(bytes.data(), count) < count) refuse_archive(archive, "it ends inside a header");
  return bytes;
}

/// Reads the sizes of members above 4 GiB from extra field 1: size, then packed size.
void read_zip64(std::string_view extra, MemberHeader& header) {
  while (extra.size() >= 4) {
    const auto id = little_endian(extra, 0, 2);
    const auto size = std::min<std::size_t>(little_endian(extra, 2, 2), extra.size() - 4);
    std::string_view field = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (id != 1) continue;
    for (std::uint64_t* const value : {&header.bytes, &header.packed_bytes}) {
      if (*value != kInZip64 || field.size() < 8) continue;
      *value = little_endian(field, 0, 8);
      field.remove_prefix(8);
    }
  }
}

/// Reads the next member's header; empty after the last member.
std::optional<MemberHeader> next_header(BufferedSource& archive) {
  if (!archive.peek(kSignature.size()).starts_with(kSignature)) return std::nullopt;
  const std::string fixed = take(archive, kEntryHeaderBytes);
  MemberHeader header;
  header.flags = static_cast<std::uint16_t>(little_endian(fixed, 6, 2));
  header.method = static_cast<std::uint16_t>(little_endian(fixed, 8, 2));
  header.packed_bytes = little_endian(fixed, 18, 4);
  header.bytes = little_endian(fixed, 22, 4);
  header.name = take(archive, little_endian(fixed, 26, 2));
  read_zip64(take(archive, little_endian(fixed, 28, 2)), header);
  return header;
}

void pass_over(BufferedSource& archive, const MemberHeader& header) {
  if (header.endless())
    throw Error(ErrorKind::input,
                fmt::format("{}: its members do not state their lengths", archive.name()),
                {{}, "write it to a file instead of a pipe, or extract it"});
  if (archive.skip(header.packed_bytes) < header.packed_bytes)
    refuse_archive(archive, "it is truncated");
}

/// A range of bytes of an archive.
class MemberSource final : public ByteSource {
 public:
  MemberSource(BufferedSource archive, std::uint64_t bytes)
      : archive_(std::move(archive)), first_(archive_.position()), bytes_(bytes) {}

  const std::string& name() const override { return archive_.name(); }
  std::optional<std::uint64_t> size() const override { return bytes_; }
  std::size_t read(char* to, std::size_t most) override {
    const std::uint64_t left = first_ + bytes_ - archive_.position();
    const std::size_t count =
        archive_.read(to, static_cast<std::size_t>(std::min<std::uint64_t>(most, left)));
    if (count == 0 && left > 0 && most > 0) refuse_archive(archive_, "it is truncated");
    return count;
  }
  bool seekable() const override { return archive_.seekable(); }
  void seek(std::uint64_t position) override { archive_.seek(first_ + std::min(position, bytes_)); }

 private:
  BufferedSource archive_;
  std::uint64_t first_, bytes_;
};

BufferedSource member_bytes(BufferedSource archive, const MemberHeader& header) {
  if ((header.flags & kEncrypted) != 0)
    throw Error(ErrorKind::input,
                fmt::format("{}: {} is encrypted", archive.name(), excerpt(header.name)));
  if (header.method != kStored && header.method != kDeflated)
    throw Error(ErrorKind::input,
                fmt::format("{}: {} is compressed with method {}, which is not supported",
                            archive.name(), excerpt(header.name), header.method),
                {{}, "save it with numpy.savez or numpy.savez_compressed"});
  if (header.endless()) pass_over(archive, header);  // throws
  const std::uint64_t bytes = header.packed_bytes;
  if (archive.size() && bytes > *archive.size() - archive.position())
    refuse_archive(archive, "a member is larger than the rest of the archive");
  auto member = std::make_unique<MemberSource>(std::move(archive), bytes);
  return header.method == kDeflated ? inflated(std::move(member))
                                    : BufferedSource(std::move(member));
}

/// Opens the first member of an archive whose name satisfies `is_wanted`, stored or deflated. The
/// archive must be at its first byte; the returned source ends with the member. Throws Error(input)
/// that lists the members if none is wanted, or if the archive is broken or encrypted. `ask` tells
/// the user, in that error, how to name another member.
BufferedSource open_zip_member(BufferedSource archive,
                               const std::function<bool(std::string_view)>& is_wanted,
                               const std::string& ask) {
  std::string names;
  while (const auto header = next_header(archive)) {
    if (is_wanted(header->name)) return member_bytes(std::move(archive), *header);
    names.append(names.empty() ? "" : ", ").append(excerpt(header->name));
    pass_over(archive, *header);
  }
  throw Error(ErrorKind::input,
              fmt::format("{}: holds {}", archive.name(), names.empty() ? "no member" : names),
              {{}, ask});
}

/// Returns the names of all members of an archive. Throws Error(input) if it is broken.
std::vector<std::string> zip_member_names(BufferedSource& archive) {
  std::vector<std::string> names;
  while (const auto header = next_header(archive)) {
    names.push_back(header->name);
    pass_over(archive, *header);
  }
  return names;
}

constexpr std::string_view kExtension = ".npy";

/// The name of an array: that of its file in the archive, without the extension.
std::string_view array_name(std::string_view member) {
  if (member.ends_with(kExtension)) member.remove_suffix(kExtension.size());
  return member;
}

/// The name of the only array in an archive. The whole archive must be searched for that.
std::string only_array(BufferedSource& archive) {
  if (!archive.seekable())
    throw Error(ErrorKind::input,
                fmt::format("{}: a stream of several arrays is ambiguous", archive.name()),
                {{}, "save the archive to a file and name the array as FILE.npz:NAME"});
  const std::uint64_t begin = archive.position();
  const std::vector<std::string> names = zip_member_names(archive);
  archive.seek(begin);
  if (names.size() == 1) return names[0];
  std::string list;
  for (const std::string& name : names)
    list.append(list.empty() ? "" : ", ").append(excerpt(array_name(name)));
  throw Error(ErrorKind::input,
              fmt::format("{}: holds {}", archive.name(), names.empty() ? "no array" : list),
              {{}, "name one as FILE.npz:NAME"});
}

}  // namespace

std::unique_ptr<PointReader> open_npz(BufferedSource source, const ColumnSelection& columns) {
  const std::string wanted = columns.part.empty() ? only_array(source) : columns.part;
  return open_npy(
      open_zip_member(
          std::move(source),
          [&](std::string_view member) { return member == wanted || array_name(member) == wanted; },
          "name one as FILE.npz:NAME"),
      columns);
}

}  // namespace skde::io
