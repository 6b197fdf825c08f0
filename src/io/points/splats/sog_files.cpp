#include "io/points/splats/sog_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostMetaBytes = std::uint64_t{1} << 24;

bool is_regular(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

/// Names of files are never paths, and none is hidden: that keeps out "..", too.
bool is_plain_name(std::string_view name) {
  constexpr std::string_view kSeparators{"/\\:\0", 4};
  return !name.empty() && name.front() != '.' &&
         name.find_first_of(kSeparators) == std::string_view::npos;
}

fs::path beside(const std::string& path, const std::string& name) {
  return fs::path(path).parent_path() / name;
}

}  // namespace

void refuse_sog(const std::string& file, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}; the file is broken or not SOG", file, why));
}

bool is_sog_meta(std::string_view head) {
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  return first != head.npos && head[first] == '{' && head.find("\"means\"") != head.npos;
}

SogFiles::SogFiles(const std::string& path, std::string_view bytes)
    : path_(path), bytes_(bytes), is_archive_(!is_sog_meta(bytes)) {
  if (is_archive_)
    members_ = zip_members(bytes, path);
  else if (!is_regular(path))
    throw Error(ErrorKind::input, fmt::format("{}: has no images beside it", path),
                {{}, "name the meta.json in the folder of its images"});
}

std::string SogFiles::meta() const {
  if (is_archive_) return read("meta.json", kMostMetaBytes);
  if (bytes_.size() > kMostMetaBytes)
    refuse_sog(path_, fmt::format("it has more than {} bytes", kMostMetaBytes));
  return std::string(bytes_);
}

std::string SogFiles::read(const std::string& name, std::uint64_t most) const {
  if (is_archive_) {
    const auto found = std::ranges::find(members_, name, &ZipMember::name);
    if (found == members_.end())
      refuse_sog(path_, fmt::format("it has no member {}", excerpt(name)));
    return unpacked_member(*found, most, path_);
  }
  if (!is_plain_name(name))
    refuse_sog(path_, fmt::format("{} is not the name of a file beside it", excerpt(name)));
  const fs::path file = beside(path_, name);
  if (!is_regular(file)) refuse_sog(path_, fmt::format("there is no {} beside it", excerpt(name)));
  BufferedSource source(open_source(file.string()));
  const Error too_large(ErrorKind::input,
                        fmt::format("{}: has more than {} bytes", file.string(), most));
  if (source.size().value_or(0) > most) throw Error(too_large);
  return read_whole(source, too_large);
}

std::uint64_t SogFiles::bytes_beside(const std::string& name) const {
  if (is_archive_ || !is_plain_name(name)) return 0;
  std::error_code unknown;
  const fs::path file = beside(path_, name);
  const std::uintmax_t bytes = is_regular(file) ? fs::file_size(file, unknown) : 0;
  return unknown ? 0 : bytes;
}

}  // namespace skde::io
