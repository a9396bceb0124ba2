/** The first thing a curator sees: what this is, and where to put a file. */

import { useSignal } from "@preact/signals";
import { ask } from "../api/client";
import type { Job } from "../api/types";
import { count } from "../format";
import { Term } from "../parts/Term";
import { activeJobs, attempt, follow, go, server } from "../state/workbench";

function typeOf(name: string): string {
  if (/\.parquet$/i.test(name)) return "application/vnd.apache.parquet";
  if (/\.(csv|tsv|txt)$/i.test(name)) return "text/csv";
  return "application/octet-stream";
}

async function load(file: File): Promise<void> {
  await attempt(async () => {
    const headers = { "x-file-name": encodeURIComponent(file.name) };
    follow(await ask<Job>("/table", { method: "PUT", bytes: { data: file, type: typeOf(file.name), headers } }));
  });
}

async function loadExample(): Promise<void> {
  await attempt(async () => {
    follow(await ask<Job>("/example", { method: "POST", body: { name: "clinic" } }));
  });
}

export function TableView() {
  const isOver = useSignal(false);
  const table = server.value?.table;
  const isBusy = activeJobs.value.length > 0;

  return (
    <>
      <h1>Release a table about people, safely</h1>
      <p class="lead">
        incrowd makes a table coarse enough that nobody in it can be singled out, and no coarser. You and the person who
        wants the data agree here on how coarse that is.
      </p>
      {table && (
        <section class="card loaded">
          <p>
            <strong>{table.name}</strong> is loaded: {count(table.rows)} rows, {count(table.columns.length)} columns.
          </p>
          <button type="button" onClick={() => go(server.value?.step === "counted" ? "negotiate" : "roles")}>
            {server.value?.step === "counted" ? "Continue to the negotiation" : "Continue to the roles"}
          </button>
        </section>
      )}
      <label
        class={`dropzone${isOver.value ? " over" : ""}`}
        onDragOver={(event) => {
          event.preventDefault();
          isOver.value = true;
        }}
        onDragLeave={() => {
          isOver.value = false;
        }}
        onDrop={(event) => {
          event.preventDefault();
          isOver.value = false;
          const file = event.dataTransfer?.files[0];
          if (file) void load(file);
        }}
      >
        <strong>{table ? "Drop another file here to replace it" : "Drop a file here"}</strong>
        <span>or choose one: CSV, TSV or Parquet</span>
        <input
          type="file"
          aria-label="Choose a file"
          accept=".csv,.tsv,.txt,.gz,.parquet"
          disabled={isBusy}
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            if (file) void load(file);
            event.currentTarget.value = "";
          }}
        />
        <small>The file goes to the server that you started, and nowhere else.</small>
      </label>
      {!table && (
        <p>
          No file at hand?{" "}
          <button type="button" class="secondary" disabled={isBusy} onClick={() => void loadExample()}>
            Try the example
          </button>
        </p>
      )}
      <section aria-label="What happens next">
        <h2>What happens next</h2>
        <ol class="steps">
          <li>
            <strong>Roles.</strong> Say which columns name people, which ones others may know (
            <Term name="quasi-identifier">quasi-identifiers</Term>), and which are <Term name="sensitive" />. incrowd
            proposes them and says why.
          </li>
          <li>
            <strong>Hierarchies and bounds.</strong> Check how values may be{" "}
            <Term name="generalization">generalized</Term>, and how little privacy you would accept. Both have sensible
            defaults.
          </li>
          <li>
            <strong>Negotiate.</strong> Move the sliders. Every movement is answered at once: with the best release that
            meets the request, or with three offers that each give way on one point.
          </li>
          <li>
            <strong>Deal.</strong> The analyst proposes, you approve. Then the release, its <Term name="certificate" />{" "}
            and a report can be downloaded.
          </li>
        </ol>
      </section>
    </>
  );
}
