#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/sort/sort_arrays.hpp"

namespace skde::kernels {

/// A key and its value in registers. Without a value it has the size of the key.
template <class Key, class Value>
struct SortItem {
  Key key;
  Value value;
};
template <class Key>
struct SortItem<Key, NoValue> {
  Key key;
};

template <class Value>
inline constexpr bool kHasValue = !std::is_same_v<Value, NoValue>;

/// Puts the item of the smaller key first. Items of equal keys stay, so an item beyond the end of
/// an array, with the largest key, never comes before one of the array.
template <class Key, class Value>
__device__ inline void put_in_order(SortItem<Key, Value>& first, SortItem<Key, Value>& second) {
  const Key a = first.key, b = second.key;
  const bool swap = b < a;
  first.key = swap ? b : a;
  second.key = swap ? a : b;
  if constexpr (kHasValue<Value>) {
    const Value value = first.value;
    first.value = swap ? second.value : value;
    second.value = swap ? value : second.value;
  }
}

/// Returns the item at this place, or one with the largest key beyond the end of the arrays.
template <class Key, class Value>
__device__ inline SortItem<Key, Value> load_item(const SortArrays<Key, Value>& arrays,
                                                 std::int64_t place) {
  SortItem<Key, Value> item;
  const bool inside = place < arrays.count;
  item.key = inside ? arrays.keys[place] : static_cast<Key>(~Key{0});
  if constexpr (kHasValue<Value>) item.value = inside ? arrays.values[place] : Value{0};
  return item;
}

/// Stores the item unless the place is beyond the end of the arrays.
template <class Key, class Value>
__device__ inline void store_item(const SortArrays<Key, Value>& arrays, std::int64_t place,
                                  const SortItem<Key, Value>& item) {
  if (place >= arrays.count) return;
  arrays.keys[place] = item.key;
  if constexpr (kHasValue<Value>) arrays.values[place] = item.value;
}

/// Compares two items of the arrays, as a plain shader does: reads both, and writes them back in
/// order if they are not.
template <class Key, class Value>
__device__ inline void put_places_in_order(const SortArrays<Key, Value>& arrays, std::int64_t first,
                                           std::int64_t second) {
  const Key a = arrays.keys[first], b = arrays.keys[second];
  if (!(b < a)) return;
  arrays.keys[first] = b;
  arrays.keys[second] = a;
  if constexpr (kHasValue<Value>) {
    const Value value = arrays.values[first];
    arrays.values[first] = arrays.values[second];
    arrays.values[second] = value;
  }
}

}  // namespace skde::kernels
