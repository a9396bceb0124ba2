// Runs SQL in a DuckDB file and prints the rows as JSON: what tests see with a program that is not ours.
import { createRequire } from "node:module";
const [modules, file, ...statements] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(modules + "/")("@duckdb/node-api");
const instance = await DuckDBInstance.create(file);
const connection = await instance.connect();
let rows = [];
for (const statement of statements) {
  rows = (await connection.runAndReadAll(statement)).getRowsJson();
}
console.log(JSON.stringify(rows));
connection.closeSync();
instance.closeSync();
