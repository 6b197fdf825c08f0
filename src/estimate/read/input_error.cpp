#include "estimate/read/input_error.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "io/bytes/byte_source.hpp"

namespace skde {

Error naming_inputs(const Error& error, std::span<const std::string> inputs) {
  if (inputs.empty() || error.kind() != ErrorKind::input) return error;
  const std::string& what = error.problem();
  const auto named = [what](const std::string& input) {
    return what.starts_with(io::source_name(input));
  };
  if (std::ranges::any_of(inputs, named)) return error;
  const std::size_t others = inputs.size() - 1;
  return {ErrorKind::input,
          fmt::format("{}{}: {}", io::source_name(inputs.front()),
                      others > 0 ? fmt::format(" and {} more", others) : "", what),
          error.advice()};
}

}  // namespace skde
