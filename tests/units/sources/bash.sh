#!/usr/bin/env bash
set -euo pipefail

NAME="x"

# Says hello.
# Twice.
greet() {
  local who="$1"
  echo "hello $who"
}

function stop {
  exit 1
}

function both() {
  helper() {
    echo inner
  }
  helper
}

in_subshell() (
  cd /tmp
)

one_line() { echo 1; }

my-command::run() {
  cat <<EOF
not() {
}
EOF
}

if [[ -n "$NAME" ]]; then
  conditional() {
    greet "$NAME"
  }
fi

trap 'stop' EXIT
greet "$@"
