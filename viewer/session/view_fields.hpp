#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/report/field_text.hpp"
#include "estimate/fields/density_fields.hpp"
#include "io/text/json_object.hpp"
#include "viewer/session/view_options.hpp"
#include "viewer/session/view_state_file.hpp"

namespace skde::view {

/// What flags say, before it is known what follows from several of them.
struct ViewFlags : ViewOptions {
  DensityOptions density{};  ///< in the form that skde density uses
  WindowSpec stream{};
  std::string compare{}, state_file{}, transfer_file{};
  bool no_interop = false, last_look = false;
};

/// What must hold for a flag to have an effect.
struct FlagNeed {
  bool (*met)(const ViewOptions&);
  const char* why;  ///< behind "has no effect"
  const char* mend = "drop it";
};

/// How the panels draw a field: a checkbox, a slider, a field for text, or buttons for words.
struct FieldWidget {
  const char* name = nullptr;  ///< of its line; null: it stands beside the widget before it
  const char* tip = nullptr;   ///< explanation in one line
  const char* text = nullptr;  ///< of a checkbox; format of a number; what an empty text means
  double least = 0, most = 0;  ///< of a slider
  bool menu = false;           ///< words stand in a menu
};

/// A row of the table of a view's fields: a flag, a key of state files, a control, or several of
/// these.
struct ViewField {
  FieldText text{};                                           ///< of its flag
  std::string_view group{};                                   ///< title of the flag's group
  bool first = false;                                         ///< a flag that --help shows
  std::function<void(ViewFlags&, const std::string&)> set{};  ///< empty: no flag
  std::vector<FlagNeed> needs{};                              ///< of the flag; the first one that
                                                              ///< is not met is named
  bool needs_samples = false;                                 ///< no effect on a volume

  std::string_view key{};  ///< place in state files, "camera/zoom"; empty: not in them
  ValueType type{};        ///< of the key's value
  std::function<nlohmann::ordered_json(const ViewState&)> put{};  ///< discarded: left out
  /// Reads the key's last part from the object that holds it. Throws what JsonObject::fail() does.
  std::function<void(ViewState&, io::JsonObject&, std::string_view)> read{};

  bool of_cloud = false;  ///< means nothing for other samples
  std::function<void(const ViewState&, ViewState&)> copy{};

  Tab tab{};               ///< where its control is
  bool ahead = false;      ///< whether the tab shows it before "more"
  const char* known = "";  ///< further words that find the control, such as earlier names
  FieldWidget widget{};    ///< in the panels
  bool (*shown)(const ViewState&) = nullptr;  ///< whether the control has an effect; null: always
  std::function<std::variant<std::monostate, bool*, double*, std::string*>(ViewState&)> member{};
  std::function<std::string(const ViewState&)> print{};  ///< its word, or the text to type
  /// Takes a word or a typed text. Throws Error, and leaves the state, if it cannot be used.
  std::function<void(ViewState&, const std::string&)> choose{};
  std::string_view letters{};     ///< keys of the keyboard
  const char* meaning = nullptr;  ///< of these keys; null: the table of keys does not have them
  std::function<void(ViewState&, char)> press{};  ///< turns a switch; takes the next word

  ViewField& needing(std::vector<FlagNeed> all) { return needs = std::move(all), *this; }
  ViewField& of_one_cloud() { return of_cloud = true, *this; }
  ViewField& drawn(const FieldWidget& as) { return widget = as, *this; }
  ViewField& known_as(const char* words) { return known = words, *this; }
  ViewField& put_ahead(const char* words = "") { return ahead = true, known_as(words); }
  ViewField& pressed(std::string_view keys, const char* what) {
    return letters = keys, meaning = what, *this;
  }
  nlohmann::ordered_json::json_pointer pointer() const {
    return nlohmann::ordered_json::json_pointer('/' + std::string(key));
  }
  /// Returns whether it is a control by itself; one without a tip is a part of another.
  bool is_control() const { return widget.tip != nullptr && tab != Tab::none; }
  /// Returns the control's name.
  std::string_view title() const {
    return widget.name != nullptr && *widget.name != '\0' ? widget.name : widget.text;
  }
  /// Returns its explanation with its flag and keys.
  std::string explanation() const;
};

/// Returns all fields, in the order of the help page.
std::span<const ViewField> view_fields();
/// Returns the field with this key.
const ViewField& view_field(std::string_view key);
/// Returns those of state files, in the files' order. Keys of one object follow each other.
std::span<const ViewField* const> state_fields();
/// Returns the controls of a tab, in its order: those ahead, or those behind "more".
std::vector<const ViewField*> controls_of(Tab tab, bool ahead);
/// Returns the controls whose name, flag or further words hold a text; first those whose name is it
/// or begins with it.
std::vector<const ViewField*> find_controls(std::string_view text);

/// Forgets what belongs to the open samples and means nothing for others: columns, weights, units,
/// the box, the grid of another volume, bandwidths and cells in world units, the chosen sample, the
/// Gaussian of splats, and an axis of colours that was set by hand.
void forget_cloud(ViewState& state);
/// Copies what else means nothing for other samples: units, places, what is chosen, columns that
/// colour, and the axis of colours. Not the comparison.
void take_places(const ViewState& from, ViewState& state);

/// Views the state's cloud as `other` views its own, except for what belongs to that cloud: files,
/// density, camera, and where the axis of the colours ends.
void adopt_look(const ViewState& other, ViewState& state);

}  // namespace skde::view
