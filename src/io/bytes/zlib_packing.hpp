#pragma once

#include <string_view>
#include <vector>

namespace skde::io {

/// Packs bytes as a zlib stream at this level, 1 (fast) to 9. `packed` is replaced. Returns false
/// if memory is short.
bool pack_zlib(std::string_view bytes, int level, std::vector<unsigned char>& packed);

}  // namespace skde::io
