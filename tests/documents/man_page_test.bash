# Checks that man formats the pages without a warning, and that they have their sections: man_page_test.bash FOLDER PROGRAM
set -euo pipefail
command -v man >/dev/null && command -v groff >/dev/null || exit 77
folder=$1 program=$2
[[ -f $folder/$program.1 ]]

for page in "$folder"/*.1; do
  name=$(basename "$page" .1)
  warnings=$(MANWIDTH=80 man --warnings -l "$page" 2>&1 >/dev/null)
  text=$(MANWIDTH=80 LC_ALL=C man --no-justification --no-hyphenation -l "$page")
  for part in NAME SYNOPSIS 'EXIT STATUS' "$name - "; do
    if [[ $text != *"$part"* ]]; then warnings+="it has no '$part'"; fi
  done
  if [[ -n $warnings ]]; then
    echo "$name: $warnings"
    exit 1
  fi
  echo "$name: $(wc -l <<<"$text") lines"
done
