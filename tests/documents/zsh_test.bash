# Checks that zsh can read the completion and registers its function: zsh_test.bash FOLDER PROGRAM
set -euo pipefail
command -v zsh >/dev/null || exit 77
zsh -n "$1/_$2"
zsh -f -c 'autoload -Uz compinit && compinit -u -d "$(mktemp -u)" && source "$1" && [[ ${_comps[$2]} == "_$2" ]]' \
  - "$1/_$2" "$2"
