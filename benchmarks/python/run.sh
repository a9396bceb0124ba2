#!/usr/bin/env bash
# Measures the Python package as it is handed out, and records it: benchmarks/python/run.sh [NAME]
# The figures go to benchmarks/runs/NAME (default: today's date and `-python`). Leave the machine alone meanwhile.
# WHEELS names a folder with a wheel, COMMAND the program, to measure others than those built now; ROWS and REPEATS make it shorter.
set -euo pipefail
cd "$(dirname "$0")/../.."
record=benchmarks/runs/${1:-$(date +%F)-python}
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")

if [ -z "${WHEELS:-}" ]; then
    make wheel
    WHEELS=out/wheels
fi
if [ -z "${COMMAND:-}" ]; then
    make dist
    COMMAND=$target/dist/incrowd
fi

# Two environments: peers need older versions of what both use.
install() {
    [ -x "$1/bin/python" ] || python3 -m venv "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
    "$1/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-index --force-reinstall --find-links "$WHEELS" incrowd
}
pinned() { grep -E "^($1)==" python/requirements.txt; }
install out/bench $(pinned 'polars|pyarrow')
install out/peers anjana==1.2.3 anonypy==0.2.1 pyarrow

out/bench/bin/python benchmarks/python/polars_against_file.py --rows "${ROWS:-10000000}" --repeats "${REPEATS:-5}" --command "$COMMAND" --record "$record"
if command -v valgrind >/dev/null; then
    out/bench/bin/python benchmarks/python/instructions.py --command "$COMMAND" --record "$record"
fi
out/bench/bin/python benchmarks/python/questions.py --record "$record"
out/peers/bin/python benchmarks/python/against_peers.py --record "$record"
echo "recorded in $record"
