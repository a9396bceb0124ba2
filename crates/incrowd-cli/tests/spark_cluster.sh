#!/bin/sh
# Starts a standalone cluster of Spark, a master and two workers, and a Connect server on it at the port given. Answers are
# cut into streams of five seconds, so that clients have to come back. Everything ends with the group of this process.
set -e
port=$1
here=$(cd "$(dirname "$0")/../../.." && pwd)
SPARK_HOME=$("$here/out/spark/bin/python" -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
export SPARK_HOME SPARK_LOCAL_IP=127.0.0.1 SPARK_WORKER_DIR="$PWD/work"
master_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
master=spark://127.0.0.1:$master_port
"$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.master.Master --host 127.0.0.1 --port "$master_port" --webui-port 0 &
for worker in 1 2; do
    "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.worker.Worker --host 127.0.0.1 --cores 1 --memory 1g --webui-port 0 "$master" &
done
exec "$SPARK_HOME/bin/spark-submit" --class org.apache.spark.sql.connect.service.SparkConnectServer --master "$master" \
    --conf spark.connect.grpc.binding.port="$port" --conf spark.connect.grpc.binding.address=127.0.0.1 \
    --conf spark.connect.execute.reattachable.senderMaxStreamDuration=5s \
    --conf spark.sql.warehouse.dir="$PWD/warehouse" --conf spark.ui.enabled=false --conf spark.driver.memory=1g \
    --conf spark.executor.memory=512m --conf spark.executor.cores=1 --conf spark.cores.max=2 --conf spark.sql.shuffle.partitions=2 \
    --conf spark.driver.maxResultSize="${INCROWD_TEST_MAX_RESULT:-1g}" spark-internal
