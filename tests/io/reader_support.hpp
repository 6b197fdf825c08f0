#pragma once

#include <fmt/core.h>
#include <algorithm>
#include <bit>

#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/error.hpp"
#include "io/points/cloud_stream.hpp"
#include "io/points/formats/open_points.hpp"
#include "support/catch.hpp"
#include "support/pipe_source.hpp"
#include "support/temporary_folder.hpp"

namespace skde::test {

/// All rows of an input, and the position that the reader reports for each.
struct ReadRows {
  std::vector<double> xyz, weights;
  std::vector<std::string> places;
};

inline ReadRows drain(io::PointReader& reader, std::size_t most) {
  ReadRows rows;
  Samples chunk;
  while (reader.read(chunk, most)) {
    REQUIRE(chunk.size() <= most);
    rows.xyz.insert(rows.xyz.end(), chunk.xyz.begin(), chunk.xyz.end());
    rows.weights.insert(rows.weights.end(), chunk.weights.begin(), chunk.weights.end());
    for (std::size_t i = 0; i < chunk.size(); ++i) rows.places.push_back(reader.place_of(i));
  }
  return rows;
}

inline ReadRows read_bytes(const std::string& name, std::string_view bytes,
                           const io::ColumnSelection& columns = {}, std::size_t most = 1000) {
  return drain(*io::open_points(io::memory_source(name, bytes), columns), most);
}

inline io::LoadedCloud load(const std::vector<std::string>& inputs,
                            const io::ColumnSelection& columns = {},
                            io::NonFinite non_finite = io::NonFinite::drop) {
  NoProgress progress;
  return io::load_cloud(inputs, columns, non_finite, progress);
}

inline ReadRows read_pipe(const std::string& name, std::string_view bytes,
                          const io::ColumnSelection& columns = {}, std::size_t most = 1000) {
  return drain(*io::open_points(std::make_unique<PipeSource>(name, bytes), columns), most);
}

/// Checks that `bytes` are read as exactly these rows, from a file and from a pipe, with any chunk
/// size.
inline void check_rows(const std::string& name, std::string_view bytes,
                       const std::vector<double>& xyz, const io::ColumnSelection& columns = {},
                       const std::vector<double>& weights = {}) {
  for (std::size_t most : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 40}) {
    for (bool piped : {false, true}) {
      INFO(name << ", chunks of " << most << (piped ? ", piped" : ""));
      const ReadRows rows =
          piped ? read_pipe(name, bytes, columns, most) : read_bytes(name, bytes, columns, most);
      CHECK(rows.xyz == xyz);
      CHECK(rows.weights == weights);
    }
  }
}

/// Checks that `action` throws an Error of this kind whose one line contains all fragments. The
/// error's parameter is appended to the line in brackets.
inline void check_error(const std::function<void()>& action, ErrorKind kind,
                        std::initializer_list<std::string> fragments) {
  try {
    action();
  } catch (const Error& error) {
    const std::string message = fmt::format("{} [{}]", error.what(), error.parameter());
    CHECK(error.kind() == kind);
    CHECK(message.find('\n') == std::string::npos);
    for (const std::string& fragment : fragments)
      CHECK_THAT(message, Catch::Matchers::ContainsSubstring(fragment));
    return;
  }
  FAIL_CHECK("no error, but one was expected that says " << *fragments.begin());
}

/// Checks that `bytes` are refused with these fragments as a file; a pipe may be refused for
/// another reason.
inline void check_refused(const std::string& name, std::string_view bytes,
                          std::initializer_list<std::string> fragments,
                          const io::ColumnSelection& columns = {}) {
  check_error([&] { read_bytes(name, bytes, columns); }, ErrorKind::input, fragments);
  check_error([&] { read_pipe(name, bytes, columns); }, ErrorKind::input, {name + ": "});
}

/// The bytes of consecutive values in the given byte order.
template <class T>
std::string stored(std::initializer_list<double> values, bool big_endian = false) {
  std::string bytes;
  for (double value : values) {
    const T typed = static_cast<T>(value);
    char raw[sizeof(T)];
    std::memcpy(raw, &typed, sizeof(T));
    if (big_endian != (std::endian::native == std::endian::big))
      std::reverse(std::begin(raw), std::end(raw));
    bytes.append(raw, sizeof(T));
  }
  return bytes;
}

/// A file that is removed at the end of its scope.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, std::string_view bytes)
      : path_(folder_.file(name, bytes)) {}

  const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

}  // namespace skde::test
