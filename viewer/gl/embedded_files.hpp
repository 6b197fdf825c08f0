#pragma once

#include <span>
#include <string_view>

namespace skde::view {

/// A file that was made part of the program when it was built (see embed_files.py).
struct EmbeddedFile {
  std::string_view name;  ///< without folders: "raymarch.comp"
  std::span<const unsigned char> bytes;
};

/// Shaders and fonts.
std::span<const EmbeddedFile> embedded_files();

}  // namespace skde::view
