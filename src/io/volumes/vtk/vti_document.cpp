#include "io/volumes/vtk/vti_document.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "io/volumes/refused_volume.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kLongestXml = std::size_t{16} << 20;

/// Copies XML without the values in it.
class Skeleton {
 public:
  explicit Skeleton(BufferedSource& source) : source_(source) {}

  /// Returns the position after <AppendedData ...>, or 0 at the end of the file.
  std::uint64_t copy() {
    while (true) {
      const bool values = in_array_ && inside_ == 0 && !in_fields_;
      if (values && skip_blanks()) xml_ += std::to_string(source_.position());
      if (!pass_to('<', !values)) return 0;
      const std::size_t begin = xml_.size();
      if (!pass_to('>', true)) return 0;
      const auto tag = [&] { return std::string_view(xml_).substr(begin); };
      while (tag().starts_with("<!--") && !tag().ends_with("--")) {
        source_.skip(1);
        xml_ += '>';
        if (!pass_to('>', true)) return 0;
      }
      source_.skip(1);
      xml_ += '>';
      enter(tag());
      if (tag().starts_with("<AppendedData")) return source_.position();
    }
  }

  std::string& xml() { return xml_; }

 private:
  void enter(std::string_view tag) {
    const bool open = !tag.ends_with("/>");
    if (tag.starts_with("<DataArray") || tag.starts_with("<Array")) {
      in_array_ = open;
      inside_ = 0;
    } else if (tag.starts_with("</DataArray") || tag.starts_with("</Array")) {
      in_array_ = false;
    } else if (in_array_ && open) {  // VTK puts notes on an array beside its values
      inside_ += tag.starts_with("</") ? -1 : 1;
    }
    if (tag.starts_with("<FieldData")) in_fields_ = open;
    if (tag.starts_with("</FieldData")) in_fields_ = false;
  }

  /// Returns true if something other than a tag follows the blanks.
  bool skip_blanks() {
    while (true) {
      const std::string_view ahead = source_.peek(1);
      const std::size_t blanks = std::min(ahead.find_first_not_of(" \t\r\n"), ahead.size());
      const bool found = blanks < ahead.size(), value = found && ahead[blanks] != '<';
      source_.skip(blanks);
      if (found || ahead.empty()) return value;
    }
  }

  /// Consumes everything before the character, which is then next; returns false if it does not
  /// occur.
  bool pass_to(char mark, bool copied) {
    // The '<' is consumed together with its tag, so the search for '>' starts after it.
    bool first = mark == '>';
    while (true) {
      const std::string_view ahead = source_.peek(1);
      if (ahead.empty()) return false;
      const std::size_t found = ahead.find(mark, first ? 1 : 0);
      const std::size_t taken = std::min(found, ahead.size());
      if (copied) xml_ += ahead.substr(0, taken);
      if (xml_.size() > kLongestXml)
        refuse_volume(source_.name(), "has more than 16 MiB of XML around its values");
      source_.skip(taken);
      if (found != ahead.npos) return true;
      first = false;
    }
  }

  BufferedSource& source_;
  std::string xml_;
  bool in_array_ = false, in_fields_ = false;
  int inside_ = 0;  // nesting depth within the array
};

}  // namespace

VtiDocument read_vti_document(BufferedSource& source) {
  if (!source.peek(1).starts_with('<'))
    refuse_volume(source.name(), "its first byte is not that of XML; it is not a VTK image");
  Skeleton skeleton(source);
  VtiDocument document;
  document.appended = skeleton.copy();
  if (document.appended > 0) skeleton.xml() += "</AppendedData></VTKFile>";
  const std::string& xml = skeleton.xml();
  const pugi::xml_parse_result parsed = document.xml.load_buffer(xml.data(), xml.size());
  if (!parsed)
    refuse_volume(source.name(), fmt::format("its XML cannot be read: {} at byte {}",
                                             parsed.description(), parsed.offset));
  return document;
}

}  // namespace skde::io
