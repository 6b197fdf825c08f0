#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <tuple>

#include "core/kernel/kernel_function.hpp"
#include "core/kernel/kernel_profiles.hpp"

namespace skde {

/// All rows, in the order of the table.
inline constexpr auto kKernelFunctions = [] {
  std::array<KernelFunction, std::tuple_size_v<KernelProfiles>> all;
  for (std::size_t row = 0; row < all.size(); ++row) all[row] = KernelFunction(row);
  return all;
}();

/// Calls `body` with the row's profile, cut at sqrt(q) = `cut`: with_profile(f, cut, [&](const
/// auto& profile) { ... }).
template <std::size_t Row = 0, class Body>
decltype(auto) with_profile(KernelFunction function, double cut, Body&& body) {
  if (function.index() != Row) {
    if constexpr (Row + 1 < std::tuple_size_v<KernelProfiles>)
      return with_profile<Row + 1>(function, cut, body);
    else
      throw std::out_of_range("no row of the table of kernels has this index");
  }
  return body(std::tuple_element_t<Row, KernelProfiles>(cut));
}

/// Calls `body` with the degree p of a row (1 - q)^p as a compile-time constant: with_degree(f,
/// [&]<int P>() { ... }). Throws std::bad_optional_access for other rows.
template <class Body>
decltype(auto) with_degree(KernelFunction function, Body&& body) {
  switch (function->degree.value()) {
    case 0:
      return body.template operator()<0>();
    case 1:
      return body.template operator()<1>();
    case 2:
      return body.template operator()<2>();
    case 3:
      return body.template operator()<3>();
    default:
      throw std::out_of_range("no kernel has this degree");
  }
}

}  // namespace skde
