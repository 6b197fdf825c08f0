#include "io/points/record_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/formats/open_points.hpp"
#include "io/points/readers/ply_header.hpp"

namespace skde::io {
namespace {

enum class Kind { other, npy, ply, las };

std::string bytes_of(ByteSource& source, std::uint64_t position, std::uint64_t count) {
  std::string bytes(static_cast<std::size_t>(count), '\0');
  source.seek(position);
  std::size_t have = 0;
  while (have < bytes.size()) {
    const std::size_t got = source.read(bytes.data() + have, bytes.size() - have);
    if (got == 0)
      throw Error(ErrorKind::input,
                  fmt::format("{}: became smaller while it was read", source.name()),
                  {{}, "run again once no other program writes to it"});
    have += got;
  }
  return bytes;
}

Kind kind_of(const std::string& path, const OpenFiles& files) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return Kind::other;
  const std::unique_ptr<ByteSource> source = files.source(path);
  constexpr std::uint64_t kSignature = 6;
  if (!source->seekable() || source->size().value_or(0) < kSignature) return Kind::other;
  const std::string head = bytes_of(*source, 0, kSignature);
  if (head == "\x93NUMPY") return Kind::npy;
  if (head.starts_with("LASF")) return Kind::las;
  return head.starts_with("ply") ? Kind::ply : Kind::other;
}

/// The place of the number of rows in the head of a file: the first number after a word.
struct CountPlace {
  std::size_t first = 0, size = 0;
};

CountPlace count_place(Kind kind, std::string_view head) {
  std::size_t first = head.npos;
  // The colon tells the key from a field of records that has its name.
  for (const char* const word : {"'shape':", "\"shape\":", "\nelement vertex", "\relement vertex"})
    if (first == head.npos && (kind == Kind::npy) == (word[0] != '\n' && word[0] != '\r'))
      first = head.find(word);
  const auto is_digit = [&](std::size_t at) {
    return std::isdigit(static_cast<unsigned char>(head[at])) != 0;
  };
  while (first < head.size() && !is_digit(first)) ++first;
  std::size_t end = first;
  while (end < head.size() && is_digit(end)) ++end;
  return {first, end - first};
}

/// Returns the head with another number of rows.
std::string with_rows(Kind kind, std::string head, std::uint64_t rows) {
  const CountPlace place = count_place(kind, head);
  head.replace(place.first, place.size, fmt::format("{}", rows));
  if (kind != Kind::npy) return head;
  // The text ends in blanks and a line end, so that the values begin at a multiple of 64 bytes. Its
  // length is in the bytes before it: two of them in version 1, then four.
  constexpr std::size_t kAlignment = 64, kVersion = 6;
  const std::size_t length_bytes = head[kVersion] == 1 ? 2 : 4, lead = kVersion + 2 + length_bytes;
  head.erase(head.find_last_not_of(" \n") + 1);
  while ((head.size() + 1) % kAlignment != 0) head += ' ';
  head += '\n';
  for (std::size_t i = 0; i < length_bytes; ++i)
    head[kVersion + 2 + i] = static_cast<char>((head.size() - lead) >> (8 * i) & 0xff);
  return head;
}

/// The part of the head that has to be equal in files that are joined.
std::string layout_text(Kind kind, const std::string& head) {
  if (kind == Kind::npy) return with_rows(kind, head, 0);
  std::string text;
  std::string_view rest = head;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    const std::string_view line = rest.substr(0, end + 1);
    if (line.starts_with("format") || line.starts_with("property")) text += line;
    rest.remove_prefix(end + 1);
  }
  return text;
}

/// Throws if the head does not state the number of rows as such, as in an array of records of two
/// dimensions.
void require_count(const std::string& path, Kind kind, const std::string& head,
                   std::uint64_t rows) {
  const CountPlace place = count_place(kind, head);
  if (place.first < head.size() && head.substr(place.first, place.size) == fmt::format("{}", rows))
    return;
  throw Error(ErrorKind::input, fmt::format("{}: cannot be joined with other files", path),
              {{}, "save its rows as an array of shape (N,)"});
}

void refuse_elements(const std::string& path, const OpenFiles& files) {
  BufferedSource source(files.source(path));
  for (const PlyElement& element : read_ply_header(source).elements)
    if (element.name != "vertex" && element.count > 0)
      throw Error(ErrorKind::input,
                  fmt::format("{}: has elements '{}', which may refer to its vertices by their "
                              "numbers; these change with the order",
                              path, element.name),
                  {{}, "save the vertices alone"});
}

}  // namespace

struct RecordFiles::File {
  std::string path;
  RecordRows records;
  std::uint64_t first_row = 0;
  mutable std::mutex mutex{};
  mutable std::vector<std::unique_ptr<ByteSource>> idle{};  ///< sources that are not in use
};

RecordFiles::RecordFiles() = default;
RecordFiles::~RecordFiles() = default;

std::unique_ptr<RecordFiles> RecordFiles::open(const std::vector<std::string>& paths,
                                               const ColumnSelection& columns,
                                               const OpenFiles& files) {
  std::unique_ptr<RecordFiles> all(new RecordFiles);
  all->open_ = files;
  Kind kind{};
  std::string layout;
  for (const std::string& path : paths) {
    const bool is_first = all->files_.empty();
    const Kind own = kind_of(path, files);
    if (is_first && own == Kind::other) return nullptr;
    const std::unique_ptr<PointReader> reader = open_points(path, columns, files);
    const RecordRows* const records = reader->record_rows();
    if (is_first && records == nullptr) return nullptr;
    if (own == Kind::las && paths.size() > 1)
      throw Error(ErrorKind::input, fmt::format("{}: LAS files are put in order one by one", path),
                  {{}, "merge them first with a program for LAS files"});
    const std::unique_ptr<ByteSource> source = files.source(path);
    std::string head = records ? bytes_of(*source, 0, records->first_byte) : "";
    const std::string own_layout =
        records && own != Kind::las ? layout_text(own, head) : std::string();
    if (!is_first && (own != kind || own_layout != layout))
      throw Error(ErrorKind::input,
                  fmt::format("{}: its columns or their types differ from those of {}", path,
                              paths.front()),
                  {{}, "save both in the same format and types"});
    if (own == Kind::ply) refuse_elements(path, files);
    if (paths.size() > 1) require_count(path, own, head, records->rows);
    if (is_first) {
      kind = own;
      all->extension_ = own == Kind::npy ? ".npy" : own == Kind::ply ? ".ply" : ".las";
      layout = own_layout;
      all->layout_ = records->layout;
      all->columns_ = reader->columns();
      all->head_ = std::move(head);
      const std::uint64_t end = records->first_byte + records->rows * records->layout.stride;
      all->tail_ = bytes_of(*source, end, source->size().value_or(end) - end);
    }
    auto file = std::make_unique<File>();
    file->path = path;
    file->records = *records;
    file->first_row = all->rows_;
    all->rows_ += records->rows;
    all->files_.push_back(std::move(file));
  }
  if (paths.size() > 1) all->head_ = with_rows(kind, std::move(all->head_), all->rows_);
  return all;
}

const RecordFiles::File& RecordFiles::file_of(std::uint64_t row) const {
  const auto after =
      std::ranges::upper_bound(files_, row, {}, [](const auto& file) { return file->first_row; });
  return **std::prev(after);
}

void RecordFiles::read(std::uint64_t first, std::size_t count, char* to) const {
  while (count > 0) {
    const File& file = file_of(first);
    const std::uint64_t own = first - file.first_row;
    const auto some =
        static_cast<std::size_t>(std::min<std::uint64_t>(count, file.records.rows - own));
    std::unique_ptr<ByteSource> source;
    {
      const std::lock_guard lock(file.mutex);
      if (!file.idle.empty()) {
        source = std::move(file.idle.back());
        file.idle.pop_back();
      }
    }
    if (!source) source = open_.source(file.path);
    source->seek(file.records.first_byte + own * layout_.stride);
    for (std::size_t have = 0, bytes = some * layout_.stride; have < bytes;) {
      const std::size_t got = source->read(to + have, bytes - have);
      if (got == 0)
        throw Error(ErrorKind::input,
                    fmt::format("{}: became smaller while it was read", file.path),
                    {{}, "run again once no other program writes to it"});
      have += got;
    }
    to += some * layout_.stride;
    first += some;
    count -= some;
    const std::lock_guard lock(file.mutex);
    file.idle.push_back(std::move(source));
  }
}

std::string RecordFiles::place_of(std::uint64_t row) const {
  const File& file = file_of(row);
  return fmt::format("{}: row {}", file.path, row - file.first_row + 1);
}

}  // namespace skde::io
