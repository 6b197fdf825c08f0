#include <fmt/core.h>
#include <laszip/laszip_api.h>

#include <algorithm>
#include <cstdint>
#include <sstream>

#include "core/report/error.hpp"
#include "io/points/clouds/laz_points.hpp"

namespace skde::io {
namespace {

/// A reader or writer of LASzip.
class Laszip {
 public:
  explicit Laszip(const std::string& file) : file_(file) { laszip_create(&pointer_); }
  Laszip(const Laszip&) = delete;
  Laszip& operator=(const Laszip&) = delete;
  ~Laszip() { laszip_destroy(pointer_); }

  operator laszip_POINTER() const { return pointer_; }
  /// Refuses the file if a call has failed.
  void check(laszip_I32 failed) const {
    if (failed == 0) return;
    laszip_CHAR* why = nullptr;
    laszip_get_error(pointer_, &why);
    throw Error(ErrorKind::input,
                fmt::format("{}: cannot be unpacked by LASzip: {}; the file is truncated or broken",
                            file_, why == nullptr ? "unknown error" : why),
                {{}, "fetch it again"});
  }

 private:
  std::string file_;
  laszip_POINTER pointer_ = nullptr;
};

}  // namespace

// One object of LASzip unpacks, another writes the records as LAS has them, without its header.
void unpack_laz(const std::string& path, const std::string& name,
                const std::function<void(std::string_view records)>& take) {
  constexpr std::streamoff kPiece = 1 << 20;
  std::ostringstream records;
  const Laszip reader(name), writer(name);
  laszip_BOOL packed = 0;
  laszip_header_struct* header = nullptr;
  laszip_point_struct* point = nullptr;
  reader.check(laszip_open_reader(reader, path.c_str(), &packed));
  reader.check(laszip_get_header_pointer(reader, &header));
  reader.check(laszip_get_point_pointer(reader, &point));
  writer.check(laszip_set_header(writer, header));
  writer.check(laszip_open_writer_stream(writer, records, 0, 1));
  const auto points = std::max<std::uint64_t>(header->number_of_point_records,
                                              header->extended_number_of_point_records);
  for (std::uint64_t i = 0; i < points; ++i) {
    reader.check(laszip_read_point(reader));
    writer.check(laszip_set_point(writer, point));
    writer.check(laszip_write_point(writer));
    if (records.tellp() < kPiece && i + 1 < points) continue;
    take(records.view());
    records.str("");
  }
}

}  // namespace skde::io
