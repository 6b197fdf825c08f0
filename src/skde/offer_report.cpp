#include "skde/offer_report.hpp"

#include <fmt/core.h>

#include <vector>

#include "cli/exit_code.hpp"
#include "cli/json_document.hpp"
#include "cli/number_format.hpp"
#include "cli/report.hpp"
#include "cli/report_parts.hpp"
#include "core/grid.hpp"

namespace skde::cli {
namespace {

/// Bytes of a need for all samples and cells of the table.
double bytes_of(const MemoryNeed& need, const OfferTable& table) {
  const auto samples = static_cast<double>(table.cloud.samples);
  return need.bytes(samples, samples, static_cast<double>(table.grid.cells()));
}

std::string memory_text(double bytes) { return bytes > 0 ? format_bytes(bytes) : "-"; }

std::vector<std::string> row_of(const EngineOffer& row, const OfferTable& table) {
  const Offer& offer = row.offer;
  return {row.entry->traits.name == table.chosen ? "*" : "",
          std::string(row.entry->traits.name),
          format_duration(offer.seconds.run),
          format_duration(offer.seconds.total()),
          memory_text(bytes_of(offer.host, table)),
          memory_text(bytes_of(offer.device, table)),
          fmt::format("{:.0e}", offer.error),
          offer.repeats ? "exactly" : "nearly"};
}

}  // namespace

std::string offers_text(const OfferTable& table) {
  std::vector<std::vector<std::string>> rows{
      {"", "engine", "run", "in all", "host", "GPU", "error", "repeats"}};
  std::string refusals;
  for (const EngineOffer& row : table.offers) {
    if (row.offer.serves())
      rows.push_back(row_of(row, table));
    else
      refusals +=
          fmt::format("- {} refuses: {}\n", row.entry->traits.name, with_flags(row.offer.refusal));
  }
  std::string text =
      fmt::format("{} samples onto {} x {} x {} cells, {} kernels\n\n",
                  format_count(static_cast<std::uint64_t>(table.cloud.samples)), table.grid.dims[0],
                  table.grid.dims[1], table.grid.dims[2], table.kernel->name);
  const std::vector<bool> right{false, false, true, true, true, true, true, false};
  for (const std::string& line : aligned_rows(rows, right)) text += line + '\n';
  return text + '\n' + refusals +
         "* is chosen where --engine is not given. Times are predicted; 'in all' has the start of "
         "a GPU and\nthe ways there and back in it. Memory is beside the samples and the volume in "
         "host memory.\n";
}

nlohmann::ordered_json offers_json(const std::vector<std::string>& inputs,
                                   const OfferTable& table) {
  auto rows = nlohmann::ordered_json::array();
  for (const EngineOffer& row : table.offers) {
    const Offer& offer = row.offer;
    nlohmann::ordered_json json{{"name", row.entry->traits.name}, {"serves", offer.serves()}};
    if (offer.serves()) {
      json["chosen"] = row.entry->traits.name == table.chosen;
      json["seconds"] = {{"start", offer.seconds.start},
                         {"upload", offer.seconds.upload},
                         {"run", offer.seconds.run},
                         {"download", offer.seconds.download},
                         {"total", offer.seconds.total()}};
      json["error"] = offer.error;
      json["repeats"] = offer.repeats;
      json["memory"] = {{"host", bytes_of(offer.host, table)},
                        {"device", bytes_of(offer.device, table)}};
    } else {
      json["refusal"] = offer.refusal;
    }
    rows.push_back(std::move(json));
  }
  nlohmann::ordered_json json = json_document("offers");
  json["inputs"] = inputs;
  json["samples"] = {{"used", table.cloud.samples}};
  json["kernel"] = table.kernel->name;
  json["grid"] = grid_json(table.grid, table.precision);
  json["chosen"] = text_or_null(std::string(table.chosen));
  json["offers"] = std::move(rows);
  return json;
}

}  // namespace skde::cli
