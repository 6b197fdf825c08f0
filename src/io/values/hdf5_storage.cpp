
#include <fmt/core.h>

#include "io/text/text_fields.hpp"
#include "io/values/hdf5_handle.hpp"

namespace skde::io {
namespace {

struct Findings {
  std::string elsewhere;  ///< empty if nothing does
  bool broken = false;
};

void look_at_object(hid_t group, const char* name, Findings& findings) {
  const Hdf5Handle object(H5Oopen(group, name, H5P_DEFAULT), H5Oclose);
  findings.broken = !object;
  if (!object || H5Iget_type(object.id()) != H5I_DATASET) return;
  const Hdf5Handle plan(H5Dget_create_plist(object.id()), H5Pclose);
  findings.broken = !plan;
  if (!plan) return;
  if (H5Pget_external_count(plan.id()) != 0) findings.elsewhere = "external storage";
  if (H5Pget_layout(plan.id()) == H5D_VIRTUAL) findings.elsewhere = "virtual storage";
}

herr_t look_at(hid_t group, const char* name, const H5L_info_t* link, void* to) {
  Findings& findings = *static_cast<Findings*>(to);
  if (link->type == H5L_TYPE_HARD)
    look_at_object(group, name, findings);
  else if (link->type != H5L_TYPE_SOFT)
    findings.elsewhere = "an external link";
  if (!findings.elsewhere.empty())
    findings.elsewhere = fmt::format("{} ({})", findings.elsewhere, excerpt(name));
  return findings.broken || !findings.elsewhere.empty() ? 1 : 0;
}

}  // namespace

Hdf5Handle open_hdf5_path(const std::string& path, bool copied) {
  const Hdf5Handle properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  constexpr std::size_t kMoreAtOnce = std::size_t{1} << 20;
  if (copied)
    H5Pset_fapl_core(properties.id(), kMoreAtOnce, false);
  else
    H5Pset_fapl_sec2(properties.id());  // whatever the environment says
  H5Pset_file_locking(properties.id(), false, true);
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, properties.id()), H5Fclose};
}

std::optional<std::string> storage_elsewhere(hid_t file) {
  Findings findings;
  if (H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, look_at, &findings) < 0 || findings.broken)
    return std::nullopt;
  return findings.elsewhere;
}

}  // namespace skde::io
