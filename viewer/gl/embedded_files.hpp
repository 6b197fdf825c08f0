#pragma once

#include <span>
#include <string_view>

namespace skde::view {

/// A file that was embedded in the program at build time (see embed_files.py).
struct EmbeddedFile {
  std::string_view name;  ///< file name without folders: "raymarch.comp"
  std::span<const unsigned char> bytes;
};

/// Returns the embedded shaders and fonts.
std::span<const EmbeddedFile> embedded_files();

}  // namespace skde::view
