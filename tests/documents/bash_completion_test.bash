# Tests what bash completes for command lines when the user presses Tab: bash_completion_test.bash FOLDER
set -euo pipefail
documents=$1
failures=0
export LC_ALL=C

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
touch cloud.csv look.png 'two words.csv'
mkdir folder

# offered WORDS... prints the completions of the last word, sorted and separated by blanks. Bash passes `=` as a word.
offered() {
  COMP_WORDS=("$@")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  "_${1//-/_}"
  if ((${#COMPREPLY[@]} > 0)); then printf '%s\n' "${COMPREPLY[@]}" | sort -u | paste -sd ' '; fi
}

# expect OFFERED WORDS... checks the completions.
expect() {
  local found
  found=$(offered "${@:2}")
  if [[ $found != "$1" ]]; then
    echo "for '${*:2}': '$found' instead of '$1'"
    failures=$((failures + 1))
  fi
}

everything='cloud.csv folder look.png two words.csv'

source "$documents/skde/skde.bash"
expect 'density' skde den
expect 'bandwidth clusters compare convert density engines eval fit formats generate info iso levels mass merge moments organise peaks project sample slice smooth sort' skde help ''
expect '--help' skde --h
expect '--normalize' skde density cloud.csv --norm
expect 'box count density' skde density --normalize ''
expect 'box' skde density --normalize = b
expect 'box count density' skde density --normalize =
expect 'biweight' skde density --kernel bi
expect 'scott silverman' skde density --bandwidth s
expect 'openmp' skde density cloud.csv --engine op
expect 'nrrd' skde density --format nr
expect 'folder look.png' skde density --picture ''
expect "$everything" skde density ''
expect "$everything" skde density -o ''
expect 'auto cloud.csv data diag folder free iso look.png robust two words.csv within' skde density --covariance ''
expect 'two words.csv' skde density two
expect '' skde density --dims ''
expect 'uniform' skde generate u
expect '' skde formats ''
expect '--json' skde formats --j

if [[ -f $documents/skde-mpi/skde-mpi.bash ]]; then
  source "$documents/skde-mpi/skde-mpi.bash"
  expect 'f32 f64' skde-mpi --precision ''
  expect '--version' skde-mpi --ver
fi
if [[ -f $documents/skde-view/skde-view.bash ]]; then
  source "$documents/skde-view/skde-view.bash"
  expect 'composite isosurface maximum' skde-view --mode ''
  expect 'folder look.png' skde-view --screenshot ''
  expect "$everything" skde-view cloud.csv ''
fi

if [[ -f $documents/skde-bench/skde-bench.bash ]]; then
  source "$documents/skde-bench/skde-bench.bash"
  expect 'compare' skde-bench comp
  expect '--fail-on-slower' skde-bench compare --fail
fi

((failures == 0))
