"""Makes some generated requests meaningful: at random, almost none would name an algorithm or be a table."""

import schemathesis

WISH = {"model": "k-anonymity", "parameter": 3, "max_suppressed": "20%"}
WISHED = ("/negotiate", "/curve", "/lattice")
WISHED_INSIDE = ("/distributions", "/preview", "/proposals")
ALGORITHMS = ["optimal", "samarati", "datafly"]
TABLES = [b"age,zip\n34,1\n35,1\n36,2\n", b"age;zip\n34;1\n", b"a\n", b"\xff\xfe", b'"a,b\n1,2\n', b"a,a\n1,2\n"]


@schemathesis.hook
def map_body(context, body):
    path = context.operation.path
    if path.endswith("/trials") and isinstance(body, dict) and isinstance(body.get("algorithms"), list):
        # Every other request keeps what was generated.
        if len(body["algorithms"]) % 2 == 1:
            return {"algorithms": ALGORITHMS[: len(body["algorithms"])], "wish": WISH}
    # A wish of which everything but one part is what the server accepts.
    if path.endswith(WISHED) and isinstance(body, dict) and isinstance(body.get("parameter"), (int, float)):
        kept = sorted(body)[int(body["parameter"]) % len(body)]
        return {**{name: value for name, value in body.items() if name in ("filter", "most")}, **WISH, kept: body[kept]}
    if path.endswith(WISHED_INSIDE) and isinstance(body, dict) and isinstance(body.get("wish"), dict):
        return {**body, "wish": WISH, **({"levels": [1, 1, 1]} if len(body["wish"]) % 2 and "levels" in body else {})}
    if path.endswith("/table") and isinstance(body, bytes) and len(body) % 2 == 1:
        return TABLES[len(body) % len(TABLES)]
    return body
