#!/usr/bin/env bash
# The density of files in parts, as many at a time as there are cores, by GNU parallel. The volume has the same bits for
# any number of parts. With --sshlogin and a folder that all machines see, the parts run on these.
#
#   density_by_parallel.sh PARTS OUT IN... [-- FLAGS of skde density]
#
# READ holds the flags that say which columns are read and how: READ="--columns long,lat,depth". SKDE names the program.
set -euo pipefail

if [[ $# -lt 3 ]]; then
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
parts=$1 output=$2
shift 2
inputs=()
while [[ $# -gt 0 && $1 != -- ]]; do
  inputs+=("$1")
  shift
done
[[ $# == 0 ]] || shift
skde=${SKDE:-skde}
read -ra reading <<<"${READ:-}"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/density_parts.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# What bandwidth, box and scale follow from, of all parts.
parallel --will-cite -q --halt now,fail=1 "$skde" moments "${inputs[@]}" "${reading[@]}" \
  --part "{}/$parts" -o "$scratch/moments_{}.json" --quiet ::: $(seq "$parts")
"$skde" merge "$scratch"/moments_*.json -o "$scratch/moments.json" --quiet
# The sums of each part, and the density of all.
parallel --will-cite -q --halt now,fail=1 "$skde" density "${inputs[@]}" "${reading[@]}" "$@" \
  --threads 1 --moments "$scratch/moments.json" --part "{}/$parts" -o "$scratch/part_{}.skp" --quiet \
  ::: $(seq "$parts")
"$skde" merge "$scratch"/part_*.skp -o "$output"
