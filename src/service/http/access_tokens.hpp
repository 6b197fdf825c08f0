#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skde::service {

/// Who may use the service.
class AccessTokens {
 public:
  /// A token a line, a name behind it where wanted; the name of one without is made of its hash.
  /// Error(input) where there is none, or a short one, or where everybody may read the file.
  static AccessTokens from_file(const std::string& path);
  /// That of a folder, which is made where it is not there.
  static AccessTokens of_folder(const std::string& folder);

  /// The name of the token in "Bearer TOKEN"; empty where it is none. Takes as long for every token
  /// of a length, however much of it is right.
  std::string owner_of(std::string_view authorization) const;
  const std::string& first() const { return tokens_.front().text; }

 private:
  struct Token {
    std::string text, name;
  };
  std::vector<Token> tokens_;
};

/// 32 hexadecimal digits that nobody guesses.
std::string random_name();

}  // namespace skde::service
