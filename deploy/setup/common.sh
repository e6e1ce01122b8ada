# shellcheck shell=bash
# Sourced by the set-up scripts beside it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { printf '== %s\n' "$*"; }

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# Only there may a script install packages by itself.
may_install() { [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] && command -v apt-get >/dev/null; }

# install_packages NAME...: a name with a question mark after it is left out where there is no such package.
install_packages() {
  local name names=()
  apt-get update -qq
  for name in "$@"; do
    case $name in
      *\?) [ -z "$(apt-cache show "${name%\?}" 2>/dev/null)" ] || names+=("${name%\?}") ;;
      *) names+=("$name") ;;
    esac
  done
  say "installing with apt: ${names[*]}"
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${names[@]}" >/dev/null
}

# Runs a long command with its output in a file; shows its milestones, and everything when it fails.
watched() {
  local milestones=$1 log
  shift
  log=$(mktemp)
  if "$@" 2>&1 | tee "$log" | { grep --line-buffered -E "$milestones" || true; } | sed -u -E 's/^(.{0,100}).*/     \1/'; then
    rm -f "$log"
    return 0
  fi
  cat "$log" >&2
  rm -f "$log"
  return 1
}
