#pragma once

#include <pugixml.hpp>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// The XML of a VTK file without the values, so that its size does not depend on that of the
/// volume. The text of each array outside field data is replaced by its position in the file, and
/// the appended data are cut off.
struct VtiDocument {
  pugi::xml_document xml;
  std::uint64_t appended = 0;  ///< position after the tag <AppendedData>; 0: none
};

/// Throws Error(input) if the XML is broken.
VtiDocument read_vti_document(BufferedSource& source);

}  // namespace skde::io
