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

#include "core/report/nearest_name.hpp"

namespace skde::io {

/// The JSON of a file's text. Error(input) that names the file, and the byte where it is broken or
/// nested more than 64 deep.
nlohmann::ordered_json parse_json(std::string_view text, const std::string& file);
/// The JSON of a text; a discarded value where the text is not JSON.
nlohmann::ordered_json json_if_valid(std::string_view text);
/// The JSON of a file.
nlohmann::ordered_json read_json(const std::string& path);

// Parsing and printing are compiled here once: a file that calls json::parse() or dump() itself
// takes two seconds longer to compile.

/// As a text with this indentation; names of files need not be UTF-8, and what is not is replaced.
std::string json_text(const nlohmann::ordered_json& value, int indentation = 2);
/// The same on one line, without its end.
std::string json_line(const nlohmann::ordered_json& value);
/// The same, for what is an identity: nlohmann::json::type_error where a text is not UTF-8.
std::string exact_json_line(const nlohmann::ordered_json& value);
/// Writes a file whole or not at all. Error(output) where that fails.
void write_json(const std::string& path, const nlohmann::ordered_json& value);

/// A JSON object that is read strictly, key by key: a value of the wrong type or range is
/// Error(input) that names the file and the key, and so is a key that nobody asked for.
class JsonObject {
 public:
  using Json = nlohmann::ordered_json;

  /// `value` must outlive this. `key` is the object's own name in the file; empty: the whole file.
  /// Error(input) where `value` is no object.
  JsonObject(const Json& value, std::string file, std::string key = "");

  bool has(std::string_view key) const { return value_.contains(key); }
  /// Error(input) where one of the keys is missing.
  void require(std::initializer_list<std::string_view> keys) const;
  /// The value of a key, which counts as read; null where it is missing.
  const Json* find(std::string_view key);

  // Each leaves `field` as it is where the key is missing.

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
  /// A whole number within [least, most].
  template <class Whole>
  void read_whole(std::string_view key, Whole& field, std::int64_t least,
                  std::int64_t most = largest<Whole>()) {
    if (const Json* value = find(key)) field = static_cast<Whole>(whole(*value, key, least, most));
  }
  /// One of a few words.
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

  /// The finite numbers of an array, or of a single number where `count` is 1.
  std::vector<double> numbers(const Json& value, std::string_view key, std::size_t count) const;
  std::int64_t whole(const Json& value, std::string_view key, std::int64_t least,
                     std::int64_t most) const;
  /// The object under a key.
  JsonObject object(const Json& value, std::string_view key) const;
  /// The objects of an array: use(object) for each, which finishes it.
  template <class Use>
  void objects(std::string_view key, Use use) {
    const Json* list = find(key);
    if (!list || !list->is_array()) fail(key, list ? "must be an array" : "is missing");
    for (std::size_t i = 0; i < list->size(); ++i)
      use(object((*list)[i], std::string(key) + '[' + std::to_string(i) + ']'));
  }
  /// Error(input): "FILE: 'camera.zoom' must be a number".
  [[noreturn]] void fail(std::string_view key, std::string_view why) const;
  /// Error(input) where the object has a key that was never asked for.
  void finish() const;

 private:
  /// What fits into the type and into the reader's own.
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
