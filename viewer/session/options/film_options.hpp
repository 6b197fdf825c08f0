#pragma once

#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Adds --film, --frames, --film-range, --fps and --turntable.
void add_film_flags(cli::OptionTable& table, FilmOptions& film);
/// Adds --time, --time-at and --time-window.
void add_time_flags(cli::OptionTable& table, ViewState& state);
/// Takes the name of the film from the positional arguments and returns the others, the inputs.
/// Throws Error(usage) if it is missing, or if there is a picture but no film.
std::vector<std::string> take_film(const cli::ParsedFlags& flags, FilmOptions& film);
/// Refuses flags of films and time that have no effect. Throws Error(usage), and Error(output) if a
/// film cannot be written to its path.
void check_film_flags(const cli::ParsedFlags& flags, const ViewOptions& options);

}  // namespace skde::view
