#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/words.hpp"

namespace skde::io {

/// Parses the text of a JSON file. Throws Error(input) that names the file, and the byte where it
/// is broken or nested more than 64 deep.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& file);
/// Parses a text; returns a discarded value if it is not JSON.
nlohmann::ordered_json json_if_valid(std::string_view text);
/// Reads and parses a JSON file.
nlohmann::ordered_json read_json(const std::string& path);

// Parsing and printing are compiled here once: a file that calls json::parse() or dump() itself
// takes two seconds longer to compile.

/// Prints with this indentation. File names need not be UTF-8; bytes that are not are replaced.
std::string json_text(const nlohmann::ordered_json& value, int indentation = 2);
/// Prints the same on one line, without a line end.
std::string json_line(const nlohmann::ordered_json& value);
/// Prints the same without a character beyond ASCII.
std::string ascii_json_line(const nlohmann::ordered_json& value);
/// Prints the same for use as an identity: throws nlohmann::json::type_error if a text is not
/// UTF-8.
std::string exact_json_line(const nlohmann::ordered_json& value);
/// Writes the whole file or nothing. Throws Error(output) if that fails.
void write_json(const std::string& path, const nlohmann::ordered_json& value);

/// A JSON object that is read strictly, key by key. A value of the wrong type or range, and a key
/// that was never asked for, throw Error(input) that names the file and the key.
class JsonObject {
 public:
  using Json = nlohmann::ordered_json;

  /// `value` must outlive this object. `key` is the name of `value` in the file; empty for the
  /// whole file. Throws Error(input) if `value` is not an object.
  JsonObject(const Json& value, std::string file, std::string key = "");

  bool has(std::string_view key) const { return value_.contains(key); }
  /// Throws Error(input) if one of the keys is missing.
  void require(std::initializer_list<std::string_view> keys) const;
  /// Returns the value of a key and marks it as read; null if it is missing.
  const Json* find(std::string_view key);

  // Each leaves `field` unchanged if the key is missing.

  void read(std::string_view key, bool& field);
  void read(std::string_view key, std::string& field);
  void read(std::string_view key, std::vector<std::string>& field);
  /// A finite number within [least, most].
  void read(std::string_view key, double& field,
            double least = std::numeric_limits<double>::lowest(),
            double most = std::numeric_limits<double>::max());
  /// An array of such numbers, of any length.
  void read(std::string_view key, std::vector<double>& field,
            double least = std::numeric_limits<double>::lowest());
  /// An integer within [least, most].
  template <class Whole>
  void read_whole(std::string_view key, Whole& field, std::int64_t least,
                  std::int64_t most = largest<Whole>()) {
    if (const Json* value = find(key)) field = static_cast<Whole>(whole(*value, key, least, most));
  }
  /// One of the given words.
  template <class Value, std::size_t Count>
  void read_word(std::string_view key, Value& field,
                 const std::array<std::pair<std::string_view, Value>, Count>& words) {
    const Json* value = find(key);
    if (!value) return;
    std::vector<std::string_view> names;
    for (const auto& [name, meaning] : words) {
      if (value->is_string() && value->get_ref<const std::string&>() == name) {
        field = meaning;
        return;
      }
      names.push_back(name);
    }
    fail_word(*value, key, names);
  }

  /// Returns the finite numbers of an array, or a single number if `count` is 1.
  std::vector<double> numbers(const Json& value, std::string_view key, std::size_t count) const;
  std::int64_t whole(const Json& value, std::string_view key, std::int64_t least,
                     std::int64_t most) const;
  /// Returns the object under a key.
  JsonObject object(const Json& value, std::string_view key) const;
  /// Calls use(object) for each object of an array; `use` must call finish() on it.
  template <class Use>
  void objects(std::string_view key, Use use) {
    const Json* list = find(key);
    if (!list || !list->is_array()) fail(key, list ? "must be an array" : "is missing");
    for (std::size_t i = 0; i < list->size(); ++i)
      use(object((*list)[i], std::string(key) + '[' + std::to_string(i) + ']'));
  }
  /// Throws Error(input): "FILE: 'camera.zoom' must be a number".
  [[noreturn]] void fail(std::string_view key, std::string_view why) const;
  /// Throws Error(input) if the object has a key that was never asked for.
  void finish() const;

 private:
  /// Largest value that fits both into the type and into std::int64_t.
  template <class Whole>
  static constexpr std::int64_t largest() {
    constexpr auto most = std::numeric_limits<Whole>::max();
    constexpr auto all = std::numeric_limits<std::int64_t>::max();
    return std::cmp_less(most, all) ? static_cast<std::int64_t>(most) : all;
  }
  std::string path_of(std::string_view key) const;
  [[noreturn]] void fail_word(const Json& value, std::string_view key,
                              std::span<const std::string_view> names) const;

  const Json& value_;
  std::string file_, key_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace skde::io
