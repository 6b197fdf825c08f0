#include "cli/results/json_document.hpp"

#include "cli/results/result_table.hpp"

namespace skde::cli {
namespace {

constexpr std::array<std::string_view, 8> kErrorKinds{
    "usage", "input", "output", "resources", "unsupported", "cancelled", "check", "internal"};
constexpr std::array kExitCodes{1, 2, 3, 4, 5, 130};

}  // namespace

void add_fields(Fields<Failure>& add) {
  add.name("error", "in place of all others, if the command fails");
  add("error", [](auto& failure) { return OneAmong<kErrorKinds>{failure.kind}; });
  add("message", &Failure::message);
  add("parameter", [](auto& failure) { return known(failure.advice.parameter); });
  add("suggestion", [](auto& failure) { return known(failure.advice.suggestion); });
  add("exit_code", [](auto& failure) { return OneAmong<kExitCodes>{failure.exit_code}; });
}

nlohmann::ordered_json error_document(const Failure& failure) { return document_json(failure); }

}  // namespace skde::cli
