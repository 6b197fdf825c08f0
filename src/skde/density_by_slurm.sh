#!/usr/bin/env bash
# The density of files in parts as jobs of Slurm. The volume has the same bits for any number of parts.
#
#   density_by_slurm.sh PARTS OUT IN... [-- FLAGS of skde density]
#
# The folder that it is called in must be seen by all nodes, and takes the files of the parts. READ holds the flags that
# say which columns are read and how, SBATCH those of sbatch for every job (--account, --partition, --time), SKDE names
# the program.
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
read -ra job <<<"${SBATCH:-}"
folder=$(mktemp -d "$PWD/density_parts.XXXXXX")

# submit NAME [FLAGS of sbatch] -- COMMAND...: prints the number of the job.
submit() {
  local name=$1 flags=()
  shift
  while [[ $1 != -- ]]; do
    flags+=("$1")
    shift
  done
  shift
  sbatch --parsable --job-name "$name" --output "$folder/%x_%A_%a.log" "${job[@]}" "${flags[@]}" --wrap "$*"
}
in_words() { printf '%q ' "$@"; }  # as a shell reads them again

scratch=$(in_words "$folder") && scratch=${scratch% }
array=(--array "1-$parts")
k='$SLURM_ARRAY_TASK_ID'
moments=$(submit skde_moments "${array[@]}" -- "$(in_words "$skde" moments "${inputs[@]}" "${reading[@]}") \
  --part $k/$parts -o $scratch/moments_$k.json --quiet")
merged=$(submit skde_merge_moments --dependency "afterok:$moments" -- \
  "$(in_words "$skde" merge) $scratch/moments_*.json -o $scratch/moments.json --quiet")
sums=$(submit skde_parts "${array[@]}" --dependency "afterok:$merged" -- \
  "$(in_words "$skde" density "${inputs[@]}" "${reading[@]}" "$@") --moments $scratch/moments.json \
  --part $k/$parts -o $scratch/part_$k.skp --quiet")
submit skde_merge --dependency "afterok:$sums" -- \
  "$(in_words "$skde" merge) $scratch/part_*.skp $(in_words -o "$output") && rm -r $scratch"
