#pragma once

#include <optional>
#include <vector>

#include "viewer/session/column_choice.hpp"
#include "viewer/session/remedy.hpp"

namespace skde::view::ui {

/// What can be done with the open files, and about errors and warnings.
struct FileFacts {
  std::vector<Remedy> remedies{};          ///< of the error
  std::optional<ColumnChoice> columns{};   ///< set if the error asks for columns
  std::vector<Remedy> warning_remedies{};  ///< of the density's warnings
  bool can_reload = false;
  bool has_samples = false, has_density = false;
  bool stream_paused = false, stream_ended = false;
};

}  // namespace skde::view::ui
