#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "estimate/session.hpp"

namespace skde::cli {

/// What every engine would take, a row each, with the one that is chosen marked; then the refusals.
std::string offers_text(const OfferTable& table);
/// The same as a document; times in seconds, sizes in bytes.
nlohmann::ordered_json offers_json(const std::vector<std::string>& inputs, const OfferTable& table);

}  // namespace skde::cli
