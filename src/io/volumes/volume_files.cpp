#include "io/volumes/volume_files.hpp"

#include <fmt/core.h>

#include <filesystem>

#include "io/text/text_fields.hpp"
#include "io/volumes/volume_values.hpp"

namespace skde::io {

std::string data_path(const std::string& header_path, const std::string& data_file,
                      Presence presence) {
  const std::filesystem::path named(data_file);
  if (data_file.starts_with("LIST") || data_file.find('%') != data_file.npos)
    refuse_volume(header_path, "stores its values in several files",
                  "join them with the program that wrote them ('unu save -f nrrd')");
  if (named.has_parent_path() && named.parent_path() != ".")
    refuse_volume(header_path,
                  fmt::format("stores its values in {}, in another folder", excerpt(data_file)),
                  "put the data file beside it");
  std::string path = (std::filesystem::path(header_path).parent_path() / named.filename()).string();
  if (presence == Presence::required && !std::filesystem::is_regular_file(path))
    refuse_volume(header_path,
                  fmt::format("stores its values in {}, which does not exist", excerpt(data_file)),
                  "put the data file beside it, or write both to one file ('unu save -f nrrd')");
  return path;
}

}  // namespace skde::io
