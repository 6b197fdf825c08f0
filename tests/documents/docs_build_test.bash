# Sphinx builds the documents without a warning: docs_build_test.bash PYTHON ROOT PROGRAMS OUTPUT
set -euo pipefail
python=$1 root=$2 programs=$3 output=$4
command -v doxygen >/dev/null && [[ -d /usr/share/javascript/katex ]] &&
  "$python" -c 'import sphinx, myst_parser, breathe, furo' 2>/dev/null || exit 77
rm -rf "$output"
"$python" -B "$root/docs/build_docs.py" "$programs" "$output"
for page in index tutorial reference/commands/skde-density reference/cpp_library development/how_to_add; do
  if [[ ! -s $output/html/$page.html ]]; then
    echo "there is no $page.html"
    exit 1
  fi
done
grep -q 'Session' "$output/html/reference/cpp_library.html"
