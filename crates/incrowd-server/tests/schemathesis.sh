#!/bin/sh
# Starts a server with Adult, counts it, and sends it requests that schemathesis makes from its description, for each role:
# no crash, no answer that the description does not have. Installs schemathesis into out/schemathesis.
set -eu
cd "$(dirname "$0")/../../.."
mkdir -p out
[ -x out/schemathesis/bin/schemathesis ] || {
    python3 -m venv out/schemathesis
    out/schemathesis/bin/pip install --quiet 'schemathesis>=4,<5'
}
folder=$(mktemp -d)
cargo build --quiet --package incrowd-cli --features server --no-default-features
"${CARGO_TARGET_DIR:-target}/debug/incrowd" serve data/adult --port 0 --data-folder "$folder" --json > "$folder/started.json" &
server=$!
trap 'kill $server; rm -rf "$folder"' EXIT
out/schemathesis/bin/python - "$folder/started.json" > "$folder/tokens" <<'PYTHON'
import json, sys, time, urllib.request
path = sys.argv[1]
while True:
    try:
        started = json.load(open(path))
        break
    except ValueError:
        time.sleep(0.05)
address = "http://" + started["address"]
tokens = {role: started[role].split("token=")[1] for role in ("curator", "analyst")}
def ask(method, path, body=None):
    headers = {"authorization": "Bearer " + tokens["curator"], "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address + "/api/v1" + path, data, headers, method=method)) as answer:
        return json.load(answer)
def state(step):
    while True:
        found = ask("GET", "/state")
        if found["step"] == step:
            return found
        ask("GET", "/changes?after=%d" % found["revision"])
columns = [column["name"] for column in state("loaded")["table"]["columns"]]
roles = {name: "quasi-identifying" if name in ("age", "sex", "race") else "drop" for name in columns}
ask("PUT", "/roles", {"roles": roles})
state("counted")
print(address, tokens["curator"], tokens["analyst"])
PYTHON
read -r address curator analyst < "$folder/tokens"
checks=not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance
for token in "$analyst" "$curator"; do
    # Tables are not sent, so that all requests meet the same one; waiting for changes is left out because it waits.
    out/schemathesis/bin/schemathesis run "$address/api/v1/openapi.json" --header "Authorization: Bearer $token" \
        --checks "$checks" --max-examples "${EXAMPLES:-20}" --phases examples,coverage,fuzzing \
        --exclude-path /api/v1/changes --exclude-path /api/v1/table --exclude-path /api/v1/example --exclude-path /api/v1/trials \
        --seed 1 --workers 2
done
"${CARGO_TARGET_DIR:-target}/debug/incrowd" serve --check-audit "$folder"
