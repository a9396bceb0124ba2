"""A server of Spark Connect before another one: ends the stream of every answer after some parts, as Spark does after a
while, and keeps the rest for whoever comes back for it. The arguments are the port of the other server, the number of parts,
and `numbered`, `unnumbered`, `lossy`, which leaves out a part with rows, or `large`, which finds combinations too large to
hand out; then the files of a certificate and of its key,
if it shall speak TLS and want a token. Every line that it reads is answered with the number of streams that were taken up again.
"""

import sys
import warnings
from concurrent import futures

warnings.simplefilter("ignore")

import grpc  # noqa: E402
from pyspark.sql.connect.proto import base_pb2_grpc  # noqa: E402

server_port, most, kind, *files = sys.argv[1:]
most = int(most)
unlimited = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
server = base_pb2_grpc.SparkConnectServiceStub(grpc.insecure_channel(f"127.0.0.1:{server_port}", unlimited))
answers = {}
resumed = 0


def forwarded(call):
    def forward(self, request, context):
        try:
            return call(request)
        except grpc.RpcError as error:
            context.abort(error.code(), error.details())

    return forward


class Service(base_pb2_grpc.SparkConnectServiceServicer):
    AnalyzePlan = forwarded(server.AnalyzePlan)
    Config = forwarded(server.Config)
    Interrupt = forwarded(server.Interrupt)
    ReleaseSession = forwarded(server.ReleaseSession)

    def ExecutePlan(self, request, context):
        if kind == "large" and "count(*) AS n" in request.plan.root.sql.query:
            limit = "bigger than spark.driver.maxResultSize (1024.0 MiB)"
            context.abort(grpc.StatusCode.INTERNAL, f"Total size of serialized results of 3 tasks (1100.2 MiB) is {limit}")
        try:
            parts = list(server.ExecutePlan(request))
        except grpc.RpcError as error:
            context.abort(error.code(), error.details())
        rows = 0
        for part in parts:
            if part.HasField("arrow_batch"):
                if kind != "unnumbered":
                    part.arrow_batch.start_offset = rows
                rows += part.arrow_batch.row_count
        with_rows = [part for part in parts if part.HasField("arrow_batch") and part.arrow_batch.row_count]
        if kind == "lossy" and len(with_rows) > 1:
            parts.remove(with_rows[0])
        answers[request.operation_id] = parts
        yield from parts[:most]

    def ReattachExecute(self, request, context):
        global resumed
        resumed += 1
        parts = answers[request.operation_id]
        ids = [part.response_id for part in parts]
        first = ids.index(request.last_response_id) + 1 if request.HasField("last_response_id") else 0
        yield from parts[first : first + most]

    def ReleaseExecute(self, request, context):
        if request.HasField("release_all"):
            answers.pop(request.operation_id, None)
        return server.ReleaseExecute(request)


class Guard(grpc.ServerInterceptor):
    """Lets nobody in without the token."""

    def intercept_service(self, continuation, call):
        if dict(call.invocation_metadata).get("authorization") == "Bearer s3cret":
            return continuation(call)
        return grpc.unary_unary_rpc_method_handler(
            lambda request, context: context.abort(grpc.StatusCode.UNAUTHENTICATED, "who is there?")
        )


guards = [Guard()] if files else []
listener = grpc.server(futures.ThreadPoolExecutor(8), options=unlimited, interceptors=guards)
base_pb2_grpc.add_SparkConnectServiceServicer_to_server(Service(), listener)
if files:
    certificate, key = (open(path, "rb").read() for path in files)
    port = listener.add_secure_port("127.0.0.1:0", grpc.ssl_server_credentials([(key, certificate)]))
else:
    port = listener.add_insecure_port("127.0.0.1:0")
listener.start()
print(port, flush=True)
for _ in sys.stdin:
    print(resumed, flush=True)
listener.stop(0)
