#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/report/error.hpp"
#include "io/points/row_index.hpp"

/// An index that is read adds up.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  using namespace skde;
  const std::string text(reinterpret_cast<const char*>(bytes), count);
  try {
    const std::optional<io::RowIndex> index = io::parse_row_index(text, "fuzz.npy.json");
    if (!index) return 0;
    std::uint64_t rows = 0, samples = 0;
    for (const io::RowBlock& block : index->blocks) {
      rows += block.rows;
      samples += block.samples;
    }
    if (rows != index->rows || samples != index->moments.count()) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) std::abort();
  }
  return 0;
}
