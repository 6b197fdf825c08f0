#pragma once

#include <string>
#include <vector>

namespace skde::test {

/// Cards of 80 characters, padded with blanks to a FITS block.
inline std::string fits_unit(const std::vector<std::string>& cards) {
  std::string text;
  for (std::string card : cards) {
    card.resize(80, ' ');
    text += card;
  }
  text.resize((text.size() + 2879) / 2880 * 2880, ' ');
  return text;
}

}  // namespace skde::test
