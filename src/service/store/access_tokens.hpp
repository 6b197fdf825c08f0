#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace skde::service {

/// The tokens that give access to the service.
class AccessTokens {
 public:
  /// Reads one token per line, optionally followed by a name, which may have blanks; the default
  /// name is derived from the hash of the token. Throws Error(input) if the file has no token, has
  /// a short one or one twice, begins with a byte order mark, or can be read or written by
  /// everybody.
  static AccessTokens from_file(const std::string& path);
  /// Reads a file, or that of a folder if it has no name; creates the latter if it does not exist.
  static AccessTokens read(const std::string& file, const std::string& folder);

  /// Returns the name of the token in "Bearer TOKEN", or an empty text if the token is unknown. The
  /// time depends only on the length of the token, not on how much of it is right.
  std::string owner_of(std::string_view authorization) const;
  /// Returns the different names.
  const std::set<std::string, std::less<>>& owners() const { return owners_; }
  const std::string& first() const { return tokens_.front().text; }

 private:
  struct Token {
    std::string text, name;
  };
  static Token token_of(std::string_view line);

  std::vector<Token> tokens_;
  std::set<std::string, std::less<>> owners_;
};

/// Returns 32 random hexadecimal digits, which cannot be guessed.
std::string random_name();

}  // namespace skde::service
