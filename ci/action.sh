#!/usr/bin/env bash
# What action.yml runs: frx ci with the inputs of the action, which are FRX_ACTION_*. Writes the outputs `sarif` and `verdict`.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

program() {
  if [ -n "${FRX_ACTION_PROGRAM:-}" ]; then
    echo "$FRX_ACTION_PROGRAM"
  elif command -v frx >/dev/null; then
    command -v frx
  else
    {
      cd "$here"
      tools/install_dependencies.sh
      cmake --preset release
      cmake --build --preset release --target frx
    } >&2
    echo "$here/build/release/frx"
  fi
}

frx=$(program)
sarif=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/frx.sarif
arguments=(ci --sarif "$sarif" --fail-on "${FRX_ACTION_FAIL_ON:-high}")
[ -z "${FRX_ACTION_BASELINE:-}" ] || arguments+=(--baseline "$FRX_ACTION_BASELINE")
[ -z "${FRX_ACTION_SUPPRESSIONS:-}" ] || arguments+=(--suppressions "$FRX_ACTION_SUPPRESSIONS")
[ -z "${FRX_ACTION_BEFORE:-}" ] || arguments+=(--before "$FRX_ACTION_BEFORE")
[ -z "${FRX_ACTION_AFTER:-}" ] || arguments+=(--after "$FRX_ACTION_AFTER")
[ "${FRX_ACTION_STRICT:-false}" != true ] || arguments+=(--strict)
read -r -a targets <<<"${FRX_ACTION_TARGETS:-}"
[ ${#targets[@]} -eq 0 ] || arguments+=("${targets[@]}")

# The pages of rules are those of the sources that the action is from.
if [ -z "${FRX_PAGES:-}" ] && [ -n "${FRX_ACTION_REPOSITORY:-}" ]; then
  export FRX_PAGES="${GITHUB_SERVER_URL:-https://github.com}/$FRX_ACTION_REPOSITORY/blob/${FRX_ACTION_REF:-main}/docs"
fi

code=0
"$frx" "${arguments[@]}" || code=$?
case $code in
  0) verdict=pass ;;
  1) verdict=fail ;;
  3) verdict=inconclusive ;;
  *) verdict=error ;;
esac
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  {
    [ ! -f "$sarif" ] || echo "sarif=$sarif"
    echo "verdict=$verdict"
  } >>"$GITHUB_OUTPUT"
fi
exit "$code"
