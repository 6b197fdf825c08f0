#include "fuzz/point_fuzzing.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/points/formats/open_points.hpp"
#include "support/pipe_source.hpp"

namespace skde::fuzz {
namespace {

/// Returns the bits of all values, so that NaN equals itself, or nullopt if the input is refused.
std::optional<std::vector<std::uint64_t>> values_of(std::unique_ptr<io::ByteSource> source,
                                                    const io::ColumnSelection& columns,
                                                    std::size_t rows_at_once) {
  std::vector<std::uint64_t> values;
  try {
    const auto reader = io::open_points(std::move(source), columns);
    Samples chunk;
    while (reader->read(chunk, rows_at_once)) {
      if (chunk.size() > rows_at_once || chunk.xyz.size() != 3 * chunk.size()) std::abort();
      if (chunk.weights.size() != (columns.weight.empty() ? 0 : chunk.size())) std::abort();
      if (chunk.bandwidth_factors.size() != chunk.size() * reader->width_columns()) std::abort();
      if (reader->place_of(chunk.size() - 1).empty()) std::abort();
      for (std::size_t row = 0; row < chunk.size(); ++row) {
        std::uint64_t bits[4] = {};
        std::memcpy(bits, chunk.xyz.data() + 3 * row, 3 * sizeof(double));
        if (!chunk.weights.empty()) std::memcpy(bits + 3, &chunk.weights[row], sizeof(double));
        values.insert(values.end(), std::begin(bits), std::end(bits));
        const std::size_t others = reader->width_columns();
        for (std::size_t column = 0; column < others; ++column) {
          std::uint64_t other = 0;
          std::memcpy(&other, &chunk.bandwidth_factors[row * others + column], sizeof other);
          values.push_back(other);
        }
      }
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input && error.kind() != ErrorKind::usage) std::abort();
    if (std::strchr(error.what(), '\n') != nullptr) std::abort();
    return std::nullopt;
  }
  return values;
}

}  // namespace

void read_points_both_ways(const std::string& name, const std::uint8_t* bytes, std::size_t count,
                           const std::string& part) {
  setenv("SKDE_LIBEXEC", SKDE_READER_FOLDER, 1);  // which reads LAZ
  const std::string_view text(reinterpret_cast<const char*>(bytes), count);
  struct Wish {
    const char* weight;
    bool all_others;
  };
  for (const Wish& wish : {Wish{"", false}, Wish{"4", false}, Wish{"", true}}) {
    const io::ColumnSelection columns{
        .weight = wish.weight, .part = part, .all_others = wish.all_others};
    const auto from_file = values_of(io::memory_source(name, text), columns, 1000);
    const auto from_pipe = values_of(std::make_unique<test::PipeSource>(name, text), columns, 7);
    if (from_file != from_pipe) {
      std::fprintf(stderr, "%s: a file and a pipe give other points\n", name.c_str());
      std::abort();
    }
  }
}

}  // namespace skde::fuzz
