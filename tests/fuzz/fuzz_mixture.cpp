#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/report/error.hpp"
#include "io/points/columns/usable_rows.hpp"
#include "io/points/formats/open_points.hpp"
#include "io/points/mixture_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace skde;
  const std::string name = "fuzz.csv";  // first bytes decide whether it is PLY or NPY
  const std::string_view text(reinterpret_cast<const char*>(bytes), count);
  try {
    for (const io::MixtureFact& fact :
         io::facts_at_head(io::BufferedSource(io::memory_source(name, text))))
      if (fact.key.find(' ') != std::string::npos) std::abort();
    io::ColumnSelection columns;
    columns.widths = {"mixture"};
    const auto reader = io::open_points(io::memory_source(name, text), columns);
    const io::UsableRows rows(name, columns, io::NonFinite::error);
    Samples chunk;
    io::CloudCounts counts;
    io::CategoryNames none;
    while (reader->read(chunk, 100)) {
      rows.keep(chunk, *reader, counts, none);
      if (chunk.weights.size() != chunk.size() || chunk.shapes.size() != 6 * chunk.size())
        std::abort();
      for (std::size_t i = 0; i < chunk.size(); ++i)
        if (!is_positive_definite(chunk.view().shape(i), 0)) std::abort();
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input && error.kind() != ErrorKind::usage) std::abort();
  }
  return 0;
}
