/** Everything that was asked and granted, in a log that cannot be changed unnoticed. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { AskError, ask } from "../api/client";
import type { Audit } from "../api/types";
import { count, moment } from "../format";
import { Problem } from "../parts/Problem";
import { Term } from "../parts/Term";
import { server } from "../state/workbench";

const MOST_SHOWN = 500;

export function AuditView() {
  const audit = useSignal<Audit | null>(null);
  const problem = useSignal<AskError | null>(null);
  const revision = server.value?.revision;

  const read = () => {
    ask<Audit>("/audit").then(
      (found) => {
        audit.value = found;
        problem.value = null;
      },
      (error: unknown) => {
        if (error instanceof AskError) problem.value = error;
      },
    );
  };
  // Read again when anything has happened.
  useEffect(read, [revision]);

  const found = audit.value;
  return (
    <>
      <h1>Audit log</h1>
      <p class="lead">
        Everything that was asked and granted. The entries form a <Term name="hash chain" />.
      </p>
      {problem.value && <Problem error={problem.value} />}
      {found && (
        <>
          <p class={`verified ${found.verified ? "yes" : "no"}`} role="status">
            <strong>{found.verified ? "✓ Verified" : "✗ Not verified"}</strong>{" "}
            {found.verified
              ? `All ${count(found.total ?? found.entries.length)} entries are as they were written.`
              : `The chain is broken${found.broken_at ? ` at entry ${count(found.broken_at)}` : ""}: something was changed or removed outside incrowd. Compare with a backup of the data folder.`}
            {found.head && (
              <>
                <br />
                <span class="quiet">
                  Last hash <code>{found.head}</code>. Whoever notes it elsewhere can tell later whether the end was cut
                  off.
                </span>
              </>
            )}
          </p>
          <p>
            <button type="button" class="secondary small" onClick={read}>
              Read again
            </button>
          </p>
          <section class="scrolls" tabIndex={0} aria-label="Entries of the audit log">
            <table>
              <thead>
                <tr>
                  <th scope="col">No.</th>
                  <th scope="col">Time</th>
                  <th scope="col">Who</th>
                  <th scope="col">Action</th>
                  <th scope="col">Detail</th>
                  <th scope="col">Hash</th>
                </tr>
              </thead>
              <tbody>
                {[...found.entries]
                  .reverse()
                  .slice(0, MOST_SHOWN)
                  .map((entry) => (
                    <tr key={entry.number}>
                      <td>{entry.number}</td>
                      <td class="nowrap">{moment(entry.time)}</td>
                      <td>{entry.role ?? "server"}</td>
                      <td>{entry.action}</td>
                      <td class="detail">{detailText(entry.detail)}</td>
                      <td>
                        <code class="nowrap" title={entry.hash}>
                          {entry.hash.slice(0, 10)}
                        </code>
                      </td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </section>
          {(found.total ?? found.entries.length) > MOST_SHOWN && <p class="quiet">The latest {MOST_SHOWN} entries.</p>}
        </>
      )}
    </>
  );
}

function detailText(detail: unknown): string {
  if (detail === null || detail === undefined) return "";
  if (typeof detail !== "object") return String(detail);
  if (Array.isArray(detail)) return detail.map(detailText).join(" ");
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${detailText(value)}`)
    .join(", ");
}
