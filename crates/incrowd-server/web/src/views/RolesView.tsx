/** What every column means for privacy: proposed, with reasons, and editable. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { AskError, ask } from "../api/client";
import type { ColumnRole, Inspection, Job } from "../api/types";
import { count, counted } from "../format";
import { Problem } from "../parts/Problem";
import { Prose } from "../parts/Prose";
import { Term } from "../parts/Term";
import { activeJobs, attempt, follow, go, server } from "../state/workbench";
import { ROLE_MEANINGS, ROLE_NAMES } from "../words";

const ROLES: ColumnRole[] = ["identifying", "quasi-identifying", "sensitive", "target", "keep", "drop"];

/** `inspect` calls a column plain if it needs no protection of its own; it is then left out unless wanted. */
function roleOf(text: string | null): ColumnRole {
  return ROLES.find((role) => role === text) ?? "drop";
}

export function RolesView() {
  const inspection = useSignal<Inspection | null>(null);
  const problem = useSignal<AskError | null>(null);
  const chosen = useSignal<ReadonlyMap<number, ColumnRole>>(new Map());
  const table = server.value?.table;
  const name = table?.name;

  // Another table has another inspection.
  useEffect(() => {
    if (!name) return;
    chosen.value = new Map();
    ask<Inspection>("/inspection").then(
      (found) => {
        inspection.value = found;
        problem.value = null;
      },
      (error: unknown) => {
        if (error instanceof AskError) problem.value = error;
      },
    );
  }, [name]);

  if (!table) return <NoTable />;
  const isCounted = server.value?.step === "counted";
  const rows = table.columns.map((column, position) => {
    const inspected = inspection.value?.columns[position];
    const proposed = roleOf(inspected?.role ?? null);
    const kept = isCounted ? roleOf(column.role) : proposed;
    return { column, inspected, proposed, role: chosen.value.get(column.index) ?? kept };
  });
  const quasi = rows.filter((row) => row.role === "quasi-identifying").length;

  const send = async () => {
    await attempt(async () => {
      const roles = Object.fromEntries(rows.map((row) => [row.column.name, row.role]));
      follow(await ask<Job>("/roles", { method: "PUT", body: { roles } }));
      chosen.value = new Map();
    });
  };

  return (
    <>
      <h1>Roles</h1>
      <p class="lead">
        What does each column say about a person? Proposals are made from names and values; you know better.
      </p>
      <dl class="role-list">
        {ROLE_MEANINGS.map(([name, meaning]) => (
          <div key={name}>
            <dt>{ROLE_NAMES[name]}</dt> <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      {problem.value && <Problem error={problem.value} />}
      <section class="scrolls" tabIndex={0} aria-label="Columns and their roles">
        <table class="roles">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">
                <Term name="role">Role</Term>
              </th>
              <th scope="col">Why</th>
              <th scope="col">Values</th>
              <th scope="col">
                <Term name="unique row">Unique rows</Term>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ column, inspected, proposed, role }) => (
              <tr key={column.index}>
                <th scope="row">
                  {column.name}
                  <small class="quiet"> {column.kind}</small>
                </th>
                <td>
                  <select
                    aria-label={`Role of ${column.name}`}
                    class={role}
                    value={role}
                    onChange={(event) => {
                      chosen.value = new Map(chosen.value).set(column.index, roleOf(event.currentTarget.value));
                    }}
                  >
                    {ROLES.map((one) => (
                      <option key={one} value={one}>
                        {ROLE_NAMES[one]}
                      </option>
                    ))}
                  </select>
                  {role !== proposed && inspected && (
                    <small class="quiet">proposed: {ROLE_NAMES[proposed]?.toLowerCase()}</small>
                  )}
                </td>
                <td class="why">
                  <Prose text={inspected?.reason ?? "…"} />
                  {role === "quasi-identifying" && inspected?.levels?.reason && (
                    <small class="quiet">
                      {" "}
                      Levels: <Prose text={inspected.levels.reason} />.
                    </small>
                  )}
                </td>
                <td>
                  {inspected ? count(inspected.distinct) : "…"}
                  {inspected && inspected.missing > 0 && (
                    <small class="quiet"> {count(inspected.missing)} missing</small>
                  )}
                </td>
                <td>{inspected ? count(inspected.unique_rows) : "…"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <div class="actions">
        <button type="button" disabled={quasi === 0 || activeJobs.value.length > 0} onClick={() => void send()}>
          Count with these roles
        </button>
        {isCounted && (
          <button type="button" class="secondary" onClick={() => go("negotiate")}>
            Back to the negotiation
          </button>
        )}
        <span class="quiet">
          {quasi === 0
            ? "Name at least one quasi-identifier: without one there is nothing to generalize."
            : `${counted(quasi, "quasi-identifier")}. The more there are, the coarser the release.`}
        </span>
      </div>
    </>
  );
}

export function NoTable() {
  return (
    <>
      <h1>No table yet</h1>
      <p>
        Load a table first.{" "}
        <button type="button" onClick={() => go("table")}>
          Load a table
        </button>
      </p>
    </>
  );
}
