#pragma once

#include <string>
#include <string_view>

namespace skde::io {

/// How an XML file of VTK writes its arrays.
struct VtkEncoding {
  std::string file;  ///< for messages
  bool big_endian = false;
  bool long_sizes = false;  ///< sizes take 8 bytes, not 4
  bool packed = false;      ///< by zlib, in blocks
};

/// The bytes of an array from those that stand in the file: a size and the values, or, where they
/// are packed, sizes of blocks and the blocks. More bytes may follow. Error(input) where they are
/// broken or cut short.
std::string vtk_array(const VtkEncoding& encoding, std::string_view bytes);

/// What base64 says, up to the first character that is none of it; blanks are passed over, and
/// pieces that were encoded apart may follow each other.
std::string from_base64(std::string_view text);

}  // namespace skde::io
