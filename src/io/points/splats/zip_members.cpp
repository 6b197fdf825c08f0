#include "io/points/splats/zip_members.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/bytes/packing.hpp"
#include "io/text/text_fields.hpp"
#include "io/values/scalar_type.hpp"

// The layout is that of PKWARE's APPNOTE 6.3.10.

namespace skde::io {
namespace {

constexpr std::string_view kLocalSignature = "PK\x03\x04", kEntrySignature = "PK\x01\x02",
                           kEndSignature = "PK\x05\x06";
constexpr std::size_t kLocalBytes = 30, kDirectoryEntryBytes = 46, kEndBytes = 22,
                      kLongestComment = 65535;
constexpr std::uint16_t kStoredMethod = 0, kDeflatedMethod = 8, kEncryptedFlag = 1;

[[noreturn]] void refuse_zip(const std::string& file, std::string_view why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}; the archive is broken", file, why));
}

/// The directory's entries, one after the other.
std::string_view directory_of(std::string_view archive, const std::string& file) {
  const std::size_t last = archive.size() < kEndBytes ? 0 : archive.size() - kEndBytes;
  for (std::size_t at = last; at + kLongestComment >= last; --at) {
    const std::string_view end = archive.substr(at);
    if (end.starts_with(kEndSignature) && end.size() >= kEndBytes &&
        kEndBytes + little_endian(end, 20, 2) == end.size()) {
      const std::uint64_t bytes = little_endian(end, 12, 4), first = little_endian(end, 16, 4);
      if (first + bytes > at) refuse_zip(file, "its directory lies outside of it");
      return archive.substr(first, bytes);
    }
    if (at == 0) break;
  }
  refuse_zip(file, "it has no directory at its end");
}

std::string_view bytes_of_member(std::string_view archive, std::uint64_t local,
                                 std::uint64_t packed, const std::string& file) {
  if (local + kLocalBytes > archive.size() || !archive.substr(local).starts_with(kLocalSignature))
    refuse_zip(file, "a member is not where the directory says");
  const std::uint64_t first = local + kLocalBytes + little_endian(archive, local + 26, 2) +
                              little_endian(archive, local + 28, 2);
  if (first + packed > archive.size()) refuse_zip(file, "a member is larger than the archive");
  return archive.substr(first, packed);
}

template <class Whole>
void put_little_endian(std::string& to, Whole value) {
  for (std::size_t i = 0; i < sizeof value; ++i)
    to += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xff);
}

/// What the headers before the bytes and in the directory have in common.
std::string shared_header(const NewZipMember& member) {
  constexpr std::uint16_t kVersion = 20, kNoFlags = 0, kMidnight = 0, kNewYear1980 = 33;
  std::string header;
  for (const std::uint16_t value : {kVersion, kNoFlags, kStoredMethod, kMidnight, kNewYear1980})
    put_little_endian(header, value);
  put_little_endian(
      header, static_cast<std::uint32_t>(crc32_z(
                  0, reinterpret_cast<const Bytef*>(member.bytes.data()), member.bytes.size())));
  put_little_endian(header, static_cast<std::uint32_t>(member.bytes.size()));
  put_little_endian(header, static_cast<std::uint32_t>(member.bytes.size()));
  put_little_endian(header, static_cast<std::uint16_t>(member.name.size()));
  put_little_endian(header, std::uint16_t{0});  // no extra fields
  return header;
}

}  // namespace

std::vector<ZipMember> zip_members(std::string_view archive, const std::string& file) {
  std::vector<ZipMember> members;
  std::string_view entries = directory_of(archive, file);
  while (entries.size() >= kDirectoryEntryBytes && entries.starts_with(kEntrySignature)) {
    const std::size_t name = little_endian(entries, 28, 2);
    const std::size_t whole =
        kDirectoryEntryBytes + name + little_endian(entries, 30, 2) + little_endian(entries, 32, 2);
    if (whole > entries.size()) refuse_zip(file, "its directory is truncated");
    ZipMember member;
    member.name = entries.substr(kDirectoryEntryBytes, name);
    const std::uint64_t method = little_endian(entries, 10, 2);
    if ((little_endian(entries, 8, 2) & kEncryptedFlag) != 0)
      refuse_zip(file, fmt::format("{} is encrypted", excerpt(member.name)));
    if (method != kStoredMethod && method != kDeflatedMethod)
      refuse_zip(file, fmt::format("{} is packed by method {}, which is not supported",
                                   excerpt(member.name), method));
    member.is_deflated = method == kDeflatedMethod;
    member.bytes = little_endian(entries, 24, 4);
    member.packed = bytes_of_member(archive, little_endian(entries, 42, 4),
                                    little_endian(entries, 20, 4), file);
    members.push_back(member);
    entries.remove_prefix(whole);
  }
  if (!entries.empty()) refuse_zip(file, "its directory is broken");
  return members;
}

std::string unpacked_member(const ZipMember& member, std::uint64_t most, const std::string& file) {
  const std::string name = excerpt(member.name);
  if (member.bytes > most)
    throw Error(ErrorKind::input,
                fmt::format("{}: {} is declared to have {} bytes, more than the {} "
                            "that such a member may have",
                            file, name, member.bytes, most));
  if (!member.is_deflated) {
    if (member.bytes != member.packed.size())
      refuse_zip(file, fmt::format("{} has not the length that is declared", name));
    return std::string(member.packed);
  }
  constexpr std::uint64_t kMostRatio = 1032;  // of deflate
  if (member.bytes > kMostRatio * member.packed.size())
    refuse_zip(file, fmt::format("{} cannot have the length that is declared", name));
  BufferedSource source = inflated(memory_source(file, member.packed));
  std::string bytes(static_cast<std::size_t>(member.bytes), '\0');
  if (source.read(bytes.data(), bytes.size()) < bytes.size() || !source.peek(1).empty())
    refuse_zip(file, fmt::format("{} has not the length that is declared", name));
  return bytes;
}

void write_zip(OutputFile& file, const std::vector<NewZipMember>& members) {
  std::string directory;
  const std::uint64_t begin = file.size();
  std::uint64_t all = 0;
  for (const NewZipMember& member : members)
    all += member.bytes.size() + 2 * member.name.size() + kLocalBytes + kDirectoryEntryBytes;
  if (all + kEndBytes > 0xffffffff)
    throw Error(ErrorKind::output, fmt::format("{}: the archive would exceed 4 GiB", file.path()));
  for (const NewZipMember& member : members) {
    const std::string shared = shared_header(member);
    const auto local = static_cast<std::uint32_t>(file.size() - begin);
    file.write(fmt::format("{}{}{}", kLocalSignature, shared, member.name));
    file.write(member.bytes);
    directory += fmt::format("{}{}{}", kEntrySignature, std::string("\x14\0", 2), shared);
    directory.append(10, '\0');  // no comment, first disk, no attributes
    put_little_endian(directory, local);
    directory += member.name;
  }
  std::string end(kEndSignature);
  end.append(4, '\0');  // first disk
  for (int twice = 0; twice < 2; ++twice)
    put_little_endian(end, static_cast<std::uint16_t>(members.size()));
  put_little_endian(end, static_cast<std::uint32_t>(directory.size()));
  put_little_endian(end, static_cast<std::uint32_t>(file.size() - begin));
  put_little_endian(end, std::uint16_t{0});  // no comment
  file.write(directory + end);
}

}  // namespace skde::io
