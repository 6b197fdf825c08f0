# Runs one fuzz target and collects new inputs in a scratch corpus: fuzz_one.bash TARGET SECONDS. `./dev fuzz` calls it.
set -euo pipefail
target=$1 seconds=$2
found=build-fuzz/found/$target log=build-fuzz/failures/$target.log
mkdir -p "$found" build-fuzz/failures
if "build-fuzz/tests/fuzz/$target" -max_total_time="$seconds" -timeout=10 \
  -rss_limit_mb=2048 -artifact_prefix="build-fuzz/failures/$target-" -print_final_stats=1 \
  "$found" "tests/fuzz/corpus/${target#fuzz_}" >"$log" 2>&1; then
  echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs, no failure"
else
  tail -n 30 "$log"
  exit 1
fi
