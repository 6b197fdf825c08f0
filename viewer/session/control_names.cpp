#include "viewer/session/control_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace skde::view {
namespace {

/// Parameters of requests and the names of their controls on the panels.
constexpr std::array<std::pair<std::string_view, std::string_view>, 31> kControls{
    {{"kernel", "kernel"},
     {"bandwidth", "bandwidth h"},
     {"covariance", "covariance"},
     {"regularize", "regularize"},
     {"dims", "cells"},
     {"spacing", "spacing"},
     {"bounds", "bounds"},
     {"like", "grid of"},
     {"boundary", "boundary"},
     {"engine", "engine"},
     {"threads", "threads"},
     {"device", "GPU"},
     {"device_memory", "GPU memory"},
     {"precision", "precision"},
     {"normalize", "values"},
     {"keep_negatives", "below 0"},
     {"columns", "columns"},
     {"weights", "weights"},
     {"widths", "widths"},
     {"width_form", "factors"},
     {"min_width", "width floor"},
     {"adaptive", "adaptive"},
     {"adaptive_alpha", "adaptive"},
     {"sharpen", "sharpen"},
     {"tolerance", "tolerance"},
     {"where", "where"},
     {"geographic", "geographic"},
     {"skip", "skip lines"},
     {"nan", "NaN rows"},
     {"units", "units"},
     {"members", "ellipsoids K"}}};

std::string with_controls(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return with_parameters(text, control_name);
}

}  // namespace

std::string control_name(std::string_view parameter, std::string_view value) {
  const auto* const known = std::ranges::find(
      kControls, parameter, &std::pair<std::string_view, std::string_view>::first);
  std::string name;
  if (known != kControls.end()) {
    name = fmt::format("\u201c{}\u201d", known->second);
  } else {
    name = fmt::format("--{}", parameter);
    std::ranges::replace(name, '_', '-');
  }
  return value.empty() ? name : fmt::format("{} {}", name, value);
}

std::string text_with_controls(const Error& error) { return with_controls(error.what()); }

std::string text_with_controls(const Warning& warning) {
  const std::string& suggestion = warning.advice.suggestion;
  return with_controls(suggestion.empty() ? warning.problem : warning.problem + "; " + suggestion);
}

}  // namespace skde::view
