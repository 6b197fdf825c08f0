#include "core/report/error.hpp"

#include <utility>

namespace skde {

std::string_view error_kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::input:
      return "input";
    case ErrorKind::output:
      return "output";
    case ErrorKind::resources:
      return "resources";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::cancelled:
      return "cancelled";
  }
  return "";
}

Error::Error(ErrorKind kind, std::string problem, ErrorAdvice advice)
    : std::runtime_error(advice.suggestion.empty() ? problem : problem + "; " + advice.suggestion),
      kind_(kind),
      problem_(std::move(problem)),
      advice_(std::move(advice)) {}

Error Error::renaming(const std::string& from, const std::string& to) const {
  ErrorAdvice advice = advice_;
  if (advice.parameter == from) advice.parameter = to;
  const std::string quoted = '`' + from + '`';
  if (const std::size_t at = advice.suggestion.find(quoted); at != std::string::npos)
    advice.suggestion.replace(at, quoted.size(), '`' + to + '`');
  return {kind_, problem_, std::move(advice)};
}

}  // namespace skde
