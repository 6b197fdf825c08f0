#include "io/bytes/zlib_packing.hpp"

#include <zlib.h>

namespace skde::io {

bool pack_zlib(std::string_view bytes, int level, std::vector<unsigned char>& packed) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  packed.resize(size);
  const bool good = compress2(packed.data(), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                              static_cast<uLong>(bytes.size()), level) == Z_OK;
  packed.resize(good ? size : 0);
  return good;
}

}  // namespace skde::io
