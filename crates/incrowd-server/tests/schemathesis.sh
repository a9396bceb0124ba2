#!/bin/sh
# Starts servers and sends them requests that schemathesis makes from their description, for each role: no crash, no answer that
# the description does not have. One server keeps the table that most questions are about; another is sent tables and trials.
# INCROWD names the program; without it, it is built. EXAMPLES is how many requests of each kind are made.
set -eu
cd "$(dirname "$0")/../../.."
mkdir -p out
[ -x out/schemathesis/bin/schemathesis ] || {
    python3 -m venv out/schemathesis
    out/schemathesis/bin/pip install --quiet 'schemathesis>=4,<5'
}
[ -n "${INCROWD:-}" ] || {
    cargo build --quiet --package incrowd-cli --features server
    INCROWD="${CARGO_TARGET_DIR:-target}/debug/incrowd"
}
folder=$(mktemp -d)
servers=
trap 'for server in $servers; do kill "$server" 2>/dev/null || :; done; rm -rf "$folder"' EXIT

# Starts a server with this name and table, counts these columns, and sets `address`, `curator` and `analyst`.
start() {
    mkdir "$folder/$1"
    "$INCROWD" serve "$2" --port 0 --data-folder "$folder/$1/data" --questions 1000000 --json > "$folder/$1/started.json" &
    servers="$servers $!"
    out/schemathesis/bin/python crates/incrowd-server/tests/schemathesis_setup.py "$folder/$1/started.json" "$3" > "$folder/$1/keys"
    read -r address curator analyst < "$folder/$1/keys"
}

# Sends requests with this token; what follows chooses paths.
send() {
    token=$1
    shift
    # It leaves notes for its next run where it is started. With two workers, Python 3.11 may fail with "AST constructor recursion
    # depth mismatch" (python/cpython#106905).
    hooks=$PWD/crates/incrowd-server/tests
    (cd out && PYTHONDONTWRITEBYTECODE=1 SCHEMATHESIS_HOOKS=schemathesis_hooks PYTHONPATH=$hooks \
        schemathesis/bin/schemathesis run "$address/api/v1/openapi.json" --header "Authorization: Bearer $token" \
        --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
        --max-examples "${EXAMPLES:-5}" --phases examples,coverage,fuzzing --seed 1 --workers 1 --request-timeout 40 "$@")
}

start questions data/adult age,sex,race
for token in "$analyst" "$curator"; do
    send "$token" --exclude-path /api/v1/table --exclude-path /api/v1/example --exclude-path /api/v1/trials
done
"$INCROWD" serve --check-audit "$folder/questions/data"

start tables data/clinic age,zip
for token in "$analyst" "$curator"; do
    send "$token" --include-path /api/v1/trials --include-path /api/v1/changes
    send "$token" --include-path /api/v1/table --include-path /api/v1/example
done
"$INCROWD" serve --check-audit "$folder/tables/data"
