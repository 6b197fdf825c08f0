#pragma once

#include <nlohmann/json_fwd.hpp>

namespace skde::cli {

struct AnyTable;

// Documents of results that no other header defines.

const AnyTable& clusters_document();
const AnyTable& conversion_document();
const AnyTable& draws_document();
const AnyTable& engines_document();
const AnyTable& evaluation_document();
const AnyTable& formats_document();
const AnyTable& generated_document();
const AnyTable& levels_document();
const AnyTable& masses_document();
const AnyTable& merged_document();
const AnyTable& organised_document();
const AnyTable& partial_sums_document();
const AnyTable& projection_document();
const AnyTable& peak_table();  ///< of one of these peaks, a FoundPeak
const AnyTable& peaks_document();
const AnyTable& slices_document();
const AnyTable& sorted_document();
const AnyTable& surface_document();

/// Returns the JSON Schema of all documents, of errors and of moments.
nlohmann::ordered_json summary_schema();

}  // namespace skde::cli
