#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skde::service {

/// The tokens that give access to the service.
class AccessTokens {
 public:
  /// Reads one token per line, optionally followed by a name; the default name is derived from the
  /// hash of the token. Throws Error(input) if the file has no token, has a short one, or can be
  /// read or written by everybody.
  static AccessTokens from_file(const std::string& path);
  /// Reads the token file of a folder; creates it if it does not exist.
  static AccessTokens of_folder(const std::string& folder);

  /// Returns the name of the token in "Bearer TOKEN", or an empty text if the token is unknown. The
  /// time depends only on the length of the token, not on how much of it is right.
  std::string owner_of(std::string_view authorization) const;
  const std::string& first() const { return tokens_.front().text; }

 private:
  struct Token {
    std::string text, name;
  };
  std::vector<Token> tokens_;
};

/// Returns 32 random hexadecimal digits, which cannot be guessed.
std::string random_name();

}  // namespace skde::service
