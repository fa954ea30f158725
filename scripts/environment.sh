# shellcheck shell=bash
# Sourced by the other scripts: virtual environments that are made once and used again.
#
# A fresh Debian has Python and pip, but neither ensurepip nor the right to install for everybody.
# An environment without pip, into which the system's pip installs uv, needs neither. uv installs the
# rest: some twenty times faster than pip.

set -euo pipefail

project=$(CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# Another copy of Erstwhile on these paths would be the one that runs.
unset PYTHONPATH PYTHONHOME
# The tests start hundreds of programs: without stored bytecode, each compiles everything anew.
unset PYTHONDONTWRITEBYTECODE

fail() {
  printf '%s: %s\n' "scripts/$(basename "$0")" "$1" >&2
  exit 1
}

# find_python: the interpreter that PYTHON names, or else the first that is new enough.
find_python() {
  local name candidates=(python3 python3.11 python3.12 python3.13)
  [[ -z ${PYTHON:-} ]] || candidates=("$PYTHON")
  for name in "${candidates[@]}"; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$name"
      return
    fi
  done
  fail "${PYTHON:-python3} is not Python 3.11 or later; name one that is with PYTHON=…"
}

# prepare FOLDER WHAT…: an environment, first on the path from here on, in which "uv pip install WHAT"
# ran. Several calls are separated by a comma: prepare .venv -r a.lock , --no-deps -e .
prepare() {
  local folder=$project/$1 python wanted
  shift
  python=$(find_python)
  wanted=$(fingerprint "$python" "$@")
  PATH=$folder/bin:$PATH
  if [[ -x $folder/bin/python && -f $folder/prepared && $(<"$folder/prepared") == "$wanted" ]]; then
    return
  fi
  printf 'Preparing %s, which takes a minute the first time.\n' "$(basename "$folder")" >&2
  make_environment "$python" "$folder"
  install "$@"
  printf '%s' "$wanted" >"$folder/prepared"
}

# install WHAT…: calls uv for each list of arguments between commas.
install() {
  local given=()
  for each in "$@" ,; do
    if [[ $each != , ]]; then
      given+=("$each")
      continue
    fi
    (cd "$project" && uv pip install --quiet --python "$(command -v python)" "${given[@]}") ||
      fail "uv could not install ${given[*]}; its message is above"
    given=()
  done
}

# fingerprint PYTHON WHAT…: changes when the environment has to be made anew.
fingerprint() {
  "$1" - "$project" "${@:2}" <<'PYTHON_END'
import hashlib, pathlib, sys
files = [pathlib.Path(sys.argv[1], name) for name in ("pyproject.toml", "requirements-dev.lock")]
hashes = [hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.exists()]
print(sys.version, sys.base_prefix, sys.argv[1:], hashes)
PYTHON_END
}

make_environment() {
  local python=$1 folder=$2
  if "$python" -m pip --version >/dev/null 2>&1; then
    "$python" -m venv --clear --without-pip "$folder"
    "$python" -m pip --python "$folder/bin/python" install -qq --disable-pip-version-check uv ||
      fail "uv could not be installed in $folder; the message of pip is above"
  elif "$python" -c 'import ensurepip' 2>/dev/null; then
    "$python" -m venv --clear "$folder"
    "$folder/bin/python" -m pip install -qq --disable-pip-version-check uv ||
      fail "uv could not be installed in $folder; the message of pip is above"
  else
    fail "$python has neither ensurepip nor pip; on Debian: apt install python3-venv"
  fi
}

# install_browser: Debian's chromium, for the tests of the console. Without it they are skipped.
install_browser() {
  command -v chromium >/dev/null && return
  if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium >/dev/null ||
      printf 'chromium could not be installed: the tests of the console are skipped.\n' >&2
  fi
}
