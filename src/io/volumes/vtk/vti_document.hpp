#pragma once

#include <pugixml.hpp>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// The XML of a VTK file without the values in it: instead of its text, each array but those of
/// field data holds the position in the file at which that begins, and the appended data are cut
/// off. So its size does not follow that of the volume.
struct VtiDocument {
  pugi::xml_document xml;
  std::uint64_t appended = 0;  ///< position of what follows the tag <AppendedData>; 0: none
};

/// Error(input) where the XML is broken.
VtiDocument read_vti_document(BufferedSource& source);

}  // namespace skde::io
