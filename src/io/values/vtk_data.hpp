#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// How VTK packs blocks of bytes.
enum class Packing { none, zlib, lz4, lzma };

/// How an XML file of VTK writes its arrays.
struct VtkEncoding {
  Packing packing = Packing::none;
  bool big_endian = false;
  std::size_t size_bytes = 4;  ///< width of the sizes before the data
};

/// Returns the packing of a compressor's name. Throws Error(input) for others.
Packing vtk_packing(const std::string& name, std::string_view compressor);

/// Decodes base64 text from the position of `text` up to its end or to a '<'. Padded units may
/// follow each other, as a header and its data do. Throws Error(input) if the text is not base64.
/// `text` must outlive the source.
std::unique_ptr<ByteSource> base64_source(BufferedSource& text);

/// Reads the sizes before the values of an array. Returns a source of the values if they are
/// packed, otherwise null: they follow in `data`, which must outlive the source. `left` is the
/// number of bytes that the file can still hold: sizes are checked against it and the values before
/// anything is allocated for them. All threads unpack. Throws Error(input) if the sizes do not fit,
/// or a block is broken or missing.
std::unique_ptr<ByteSource> vtk_array(BufferedSource& data, const VtkEncoding& encoding,
                                      std::uint64_t values, std::size_t bytes_each,
                                      std::uint64_t left);

}  // namespace skde::io
