#pragma once

#include <string>
#include <string_view>

namespace skde::io {

/// How an XML file of VTK writes its arrays.
struct VtkEncoding {
  std::string file;  ///< for messages
  bool big_endian = false;
  bool long_sizes = false;  ///< sizes have 8 bytes, not 4
  bool packed = false;      ///< by zlib, in blocks
};

/// Returns the bytes of an array from those in the file: a size and the values or, if they are
/// packed, the sizes of the blocks and the blocks. More bytes may follow. Throws Error(input) if
/// they are broken or cut short.
std::string vtk_array(const VtkEncoding& encoding, std::string_view bytes);

/// Decodes base64 up to the first character that is not part of it. Blanks are skipped, and pieces
/// that were encoded separately may follow each other.
std::string from_base64(std::string_view text);

}  // namespace skde::io
