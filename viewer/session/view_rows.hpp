#pragma once

#include <algorithm>
#include <concepts>
#include <glm/glm.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/value_parsers.hpp"
#include "core/report/words.hpp"
#include "io/text/json_geometry.hpp"
#include "viewer/layers/volume/transfer_function.hpp"
#include "viewer/session/view_fields.hpp"

namespace skde::view {

using Json = nlohmann::ordered_json;
using Key = std::string_view;

/// Throws Error(usage): the value of a flag "must be" of another form.
[[noreturn]] void must_be(std::string_view form, const std::string& given);
/// Parses `count` finite numbers between commas. Throws Error(usage) that names the form.
std::vector<double> parse_numbers(const std::string& given, std::size_t count,
                                  std::string_view form);

/// Return a text as it is typed, and what a switch means.
inline std::string as_typed(const std::string& given) { return given; }
inline bool turned_on(const std::string&) { return true; }
/// Parses a number from `least` to `most`. Throws Error(usage) for any other text.
struct NumberWithin {
  double least, most;
  double operator()(const std::string& given) const;
};

// Values of state files. Each reader sets a value from a key of an object, and leaves it as it is
// if there is no such key. It throws what JsonObject::fail() throws.

template <class Value>
Json json_of(const Value& value) {
  return value;
}
inline Json json_of(const Vec3& place) { return io::to_json(place); }
inline Json json_of(const glm::dvec3& place) { return {place.x, place.y, place.z}; }
inline Json json_of(const Box& box) { return io::to_json(box); }
inline Json json_of(const TransferFunction& function) { return transfer_function_json(function); }
Json json_of(const ClipPlane& plane);
Json json_of(const OutlinedPlaces& places);
template <class Value>
Json json_of(const std::optional<Value>& value) {
  return value ? json_of(*value) : Json();
}
template <class Value>
Json json_of(const std::vector<Value>& values) {
  Json list = Json::array();
  for (const Value& value : values) list.push_back(json_of(value));
  return list;
}

/// Reads a switch, a text, or numbers within these limits.
struct ReadPlain {
  std::optional<double> least{}, most{};

  void operator()(io::JsonObject& object, Key key, auto& value) const {
    using Value = std::remove_reference_t<decltype(value)>;
    if constexpr (std::same_as<Value, double>)
      object.read(key, value, least.value_or(std::numeric_limits<double>::lowest()),
                  most.value_or(std::numeric_limits<double>::max()));
    else if constexpr (std::same_as<Value, std::int64_t>)
      object.read_whole(key, value, static_cast<std::int64_t>(least.value_or(0)));
    else
      object.read(key, value);
  }
};

/// Returns a reader of a value that `from` takes from JSON; of one that may be null; of a list.
template <class From>
auto read_by(From from) {
  return [from](io::JsonObject& object, Key key, auto& value) {
    if (const Json* given = object.find(key)) value = from(object, *given, key);
  };
}
template <class From>
auto read_maybe(From from) {
  return [from](io::JsonObject& object, Key key, auto& value) {
    io::read_optional(object, key, value, from);
  };
}
template <class From>
auto read_list(From from) {
  return [from](io::JsonObject& object, Key key, auto& values) {
    const Json* const given = object.find(key);
    if (given == nullptr) return;
    if (!given->is_array()) object.fail(key, "must be an array");
    values.clear();
    for (const Json& item : *given) values.push_back(from(object, item, key));
  };
}

/// Returns access to a member of a state or of the flags, or to a member of a member.
template <class... Members>
auto at(Members... members) {
  return [members...](auto& whole) -> auto& { return (whole.*....*members); };
}

/// Adds rows to the table.
class ViewRows {
 public:
  explicit ViewRows(std::vector<ViewField>& rows) : rows_(rows) {}

  /// Begins a group of flags.
  void group(std::string_view title) { group_ = title; }
  /// Begins the controls of a tab.
  void in(Tab tab) { tab_ = tab; }
  ViewField& add(ViewField field) {
    field.group = group_;
    field.tab = tab_;
    return rows_.emplace_back(std::move(field));
  }
  /// A control of more than one widget, which a panel draws, with its flag if it has one.
  ViewField& control(const FieldWidget& as, const char* flag = "") {
    return add({.text = {.name = flag, .help = ""}, .widget = as});
  }
  /// A flag that sets what it likes.
  ViewField& flag(FieldText text, std::function<void(ViewFlags&, const std::string&)> set) {
    return add({.text = std::move(text), .set = std::move(set)});
  }
  /// A flag that sets a member of the flags: to true if it has no value.
  template <class Access, class Parse>
  ViewField& option(FieldText text, Access access, Parse parse) {
    return flag(typed(std::move(text), parse),
                [=](ViewFlags& flags, const std::string& given) { access(flags) = parse(given); });
  }
  /// A member of the state that only files hold.
  template <class Access, class Read = ReadPlain>
  ViewField& kept(Key key, Access access, Read read = {}) {
    ViewField field{.key = key};
    if constexpr (std::same_as<Read, ReadPlain>)
      field.type.least = read.least, field.type.most = read.most;
    field.put = [=](const ViewState& state) { return json_of(access(state)); };
    field.read = [=](ViewState& state, io::JsonObject& object, Key last) {
      read(object, last, access(state));
    };
    field.copy = [=](const ViewState& from, ViewState& to) { access(to) = access(from); };
    field.member = [=](ViewState& state) -> decltype(field.member(state)) {
      using Value = std::remove_reference_t<decltype(access(state))>;
      if constexpr (std::same_as<Value, bool> || std::same_as<Value, double> ||
                    std::same_as<Value, std::string>)
        return &access(state);
      return {};
    };
    field.press = [=](ViewState& state, char) {
      if constexpr (std::same_as<decltype(access(state)), bool&>) access(state) = !access(state);
    };
    return add(std::move(field));
  }
  /// A member of the state that a flag sets and files hold.
  template <class Access, class Parse, class Read = ReadPlain>
  ViewField& value(FieldText text, Key key, Access access, Parse parse, Read read = {}) {
    ViewField& field = kept(key, access, read);
    field.text = typed(std::move(text), parse);
    field.set = [=](ViewFlags& flags, const std::string& given) {
      access(flags.state) = parse(given);
    };
    return field;
  }
  /// A switch, which a flag turns on.
  template <class Access>
  ViewField& on(FieldText text, Key key, Access access) {
    return value(std::move(text), key, access, turned_on);
  }
  /// One of a few words, as files hold it.
  template <class Access, class Words>
  ViewField& kept_word(Key key, Access access, const Words& words) {
    ViewField& field = kept(key, access, [&words](io::JsonObject& object, Key last, auto& value) {
      object.read_word(last, value, words);
    });
    field.put = [access, &words](const ViewState& state) { return word_of(words, access(state)); };
    field.print = [access, &words](const ViewState& state) {
      return std::string(word_of(words, access(state)));
    };
    for (const auto& [word, meaning] : words) field.type.words.emplace_back(word);
    field.choose = [=, parse = OneOf<typename Words::value_type::second_type>(words)](
                       ViewState& state, const std::string& word) { access(state) = parse(word); };
    field.press = [access, &words](ViewState& state, char) {
      const auto* const now = std::ranges::find(words, access(state), &Words::value_type::second);
      access(state) =
          words[static_cast<std::size_t>(now - words.begin() + 1) % words.size()].second;
    };
    return field;
  }
  /// One of a few words. If the text has no form of the value or no default, they are these words.
  template <class Access, class Words>
  ViewField& word(FieldText text, Key key, Access access, const Words& words) {
    ViewField& field = kept_word(key, access, words);
    const OneOf<typename Words::value_type::second_type> parse(words);
    field.text = typed(std::move(text), parse);
    if (field.text.value.empty())
      for (const std::string& name : field.type.words)
        field.text.value += (field.text.value.empty() ? "" : "|") + name;
    const ViewState standard;
    if (field.text.by_default.empty())
      field.text.by_default = word_of(words, access(std::as_const(standard)));
    field.set = [=](ViewFlags& flags, const std::string& given) {
      access(flags.state) = parse(given);
    };
    return field;
  }

 private:
  template <class Parse>
  static FieldText typed(FieldText text, const Parse& parse) {
    if constexpr (requires { parse.type(); }) text.type = parse.type();
    return text;
  }

  std::vector<ViewField>& rows_;
  std::string_view group_;
  Tab tab_{};
};

/// Pictures show the volume.
inline constexpr FlagNeed kVolume{[](const ViewOptions& options) {
                                    return !options.headless() ||
                                           options.state.layout != ViewLayout::method;
                                  },
                                  "with --view method"};

// Each function adds the rows of a topic, in the order of the help page.

void add_density_rows(ViewRows& rows);
void add_method_rows(ViewRows& rows);
void add_shown_rows(ViewRows& rows);
void add_look_rows(ViewRows& rows);
void add_picture_rows(ViewRows& rows);

}  // namespace skde::view
