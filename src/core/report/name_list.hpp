#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace skde {

/// Splits a comma-separated list of names; a name may be empty.
inline std::vector<std::string> parse_names(const std::string& given) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= given.size()) {
    const std::size_t end = std::min(given.find(',', begin), given.size());
    names.push_back(given.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

}  // namespace skde
