#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/bytes/zip_archive.hpp"
#include "io/points/point_format_readers.hpp"
#include "io/text_fields.hpp"

namespace skde::io {
namespace {

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
