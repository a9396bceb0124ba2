/** Other algorithms on the same table and request, side by side. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask, download } from "../api/client";
import type { Comparison, Job } from "../api/types";
import { count, figure, parameter, share } from "../format";
import { Prose } from "../parts/Prose";
import { Term } from "../parts/Term";
import { sent, wish } from "../state/negotiation";
import { writeBudget } from "../state/wish";
import { activeJobs, attempt, follow, go, isActive, isCurator, server } from "../state/workbench";

const USUAL = ["optimal", "finest", "partition", "top-down", "rv-global"];
const FIRST_METRICS = ["loss", "ncp", "discernibility", "average-class-size", "query-error"];

export function TrialsView() {
  const state = server.value;
  const asked = wish.value;
  const picked = useSignal<ReadonlySet<string>>(new Set(["optimal", "finest"]));
  const showsAll = useSignal(false);
  if (state?.step !== "counted" || !asked) {
    return (
      <>
        <h1>Trials</h1>
        <p>
          There is no counted table yet.{" "}
          <button type="button" onClick={() => go("negotiate")}>
            Go to the negotiation
          </button>
        </p>
      </>
    );
  }
  const letter = state.models.find((one) => one.name === asked.model)?.parameter ?? "parameter";
  const usual = state.algorithms.filter((one) => USUAL.includes(one.name));
  const shown = showsAll.value || usual.length === 0 ? state.algorithms : usual;
  const trials = state.jobs.filter((job) => job.kind === "compare");
  const finished = trials.filter((job) => job.state === "done");
  const last = finished[finished.length - 1];
  const isRunning = trials.some(isActive);
  const run = () =>
    attempt(async () => {
      const algorithms = state.algorithms.map((one) => one.name).filter((name) => picked.value.has(name));
      follow(await ask<Job>("/trials", { method: "POST", body: { algorithms, wish: sent(asked) } }));
    });

  return (
    <>
      <h1>Trials</h1>
      <p class="lead">
        The negotiation publishes each column at one <Term name="level" />. Other algorithms group values or rows more
        freely, and often keep more detail for the same promise. Try them on your request.
      </p>
      <p>
        Your request: <strong>{asked.model}</strong> with {letter} = {parameter(asked.parameter)}, at most{" "}
        {writeBudget(asked.budget)}
        {asked.budget.unit === "rows" ? " rows" : ""} suppressed.
      </p>
      <fieldset class="algorithms">
        <legend>Algorithms</legend>
        {shown.map((one) => (
          <label key={one.name} class="check">
            <input
              type="checkbox"
              checked={picked.value.has(one.name)}
              onChange={(event) => {
                const next = new Set(picked.value);
                if (event.currentTarget.checked) next.add(one.name);
                else next.delete(one.name);
                picked.value = next;
              }}
            />
            <span>
              <strong>{one.name}</strong>{" "}
              <span class="quiet">
                <Prose text={one.one_line} />
              </span>
            </span>
          </label>
        ))}
        {usual.length > 0 && usual.length < state.algorithms.length && (
          <button
            type="button"
            class="plain"
            onClick={() => {
              showsAll.value = !showsAll.value;
            }}
          >
            {showsAll.value ? "Show the usual ones" : `Show all ${state.algorithms.length}`}
          </button>
        )}
      </fieldset>
      <div class="actions">
        <button
          type="button"
          disabled={picked.value.size === 0 || isRunning || activeJobs.value.length > 0}
          onClick={() => void run()}
        >
          Try them
        </button>
        <span class="quiet">Each takes about half a minute at most. Nothing is published.</span>
      </div>
      {last && <Results key={last.id} job={last} />}
    </>
  );
}

function Results({ job }: { job: Job }) {
  const full = useSignal<Comparison | null>((job.result as Comparison | undefined) ?? null);
  const id = job.id;

  // A list of jobs may leave results out; the job itself has its own.
  useEffect(() => {
    if (full.value) return;
    void attempt(async () => {
      full.value = (await ask<Job>(`/jobs/${id}`)).result as Comparison;
    });
  }, [id, full]);

  const found = full.value;
  if (!found) return null;
  const names = [...new Set(found.runs.flatMap((run) => Object.keys(run.reached?.metrics ?? {})))];
  const metrics = [
    ...FIRST_METRICS.filter((name) => names.includes(name)),
    ...names.filter((name) => !FIRST_METRICS.includes(name)),
  ];
  const best = new Map(
    metrics.map((name) => [
      name,
      Math.min(...found.runs.map((run) => run.reached?.metrics[name] ?? Number.POSITIVE_INFINITY)),
    ]),
  );
  const reached = found.runs.filter((run) => run.reached);
  return (
    <section aria-label="Results">
      <h2>Side by side</h2>
      {reached.length === 0 && (
        <p>None of them can meet the request. Ask for less in the negotiation, then try again.</p>
      )}
      {reached.length > 0 && (
        <>
          <p class="quiet">The least loss in each row is marked. All results passed the same check as a release.</p>
          <section class="scrolls" tabIndex={0} aria-label="Comparison of algorithms">
            <table class="comparison">
              <thead>
                <tr>
                  <td />
                  {reached.map((run) => (
                    <th scope="col" key={run.algorithm}>
                      {run.algorithm}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {isCurator.value && (
                  <tr>
                    <th scope="row">
                      <Term name="guarantee">Guarantee</Term>
                    </th>
                    {reached.map((run) => (
                      <td key={run.algorithm}>{run.reached?.guarantee}</td>
                    ))}
                  </tr>
                )}
                <tr>
                  <th scope="row">
                    <Term name="recoding">Recoding</Term>
                  </th>
                  {reached.map((run) => (
                    <td key={run.algorithm}>{run.reached?.recoding}</td>
                  ))}
                </tr>
                <tr>
                  <th scope="row">
                    <Term name="suppression">Rows suppressed</Term>
                  </th>
                  {reached.map((run) => (
                    <td key={run.algorithm}>
                      {count(run.reached?.rows_suppressed ?? 0)}{" "}
                      <span class="quiet">
                        ({share((run.reached?.rows_suppressed ?? 0) / Math.max(1, found.rows_in))})
                      </span>
                    </td>
                  ))}
                </tr>
                <tr>
                  <th scope="row">
                    <Term name="class">Classes</Term>
                  </th>
                  {reached.map((run) => (
                    <td key={run.algorithm}>{count(run.reached?.classes ?? 0)}</td>
                  ))}
                </tr>
                {metrics.map((name) => (
                  <tr key={name}>
                    <th scope="row">
                      <Term name={name} />
                    </th>
                    {reached.map((run) => {
                      const value = run.reached?.metrics[name];
                      const isBest = value !== undefined && value === best.get(name) && reached.length > 1;
                      return (
                        <td key={run.algorithm} class={isBest ? "best" : ""}>
                          {value === undefined ? "–" : figure(value)}
                          {isBest && <span class="sr-only"> (least)</span>}
                        </td>
                      );
                    })}
                  </tr>
                ))}
                {reached.some((run) => run.seconds !== undefined && run.seconds !== null) && (
                  <tr>
                    <th scope="row">Seconds</th>
                    {reached.map((run) => (
                      <td key={run.algorithm}>{figure(run.seconds ?? 0)}</td>
                    ))}
                  </tr>
                )}
              </tbody>
            </table>
          </section>
        </>
      )}
      {found.runs
        .filter((run) => run.failed)
        .map((run) => (
          <p key={run.algorithm} class="problem">
            <strong>{run.algorithm}</strong> did not run: <Prose text={run.failed?.message ?? ""} />.{" "}
            <span class="quiet">
              <Prose text={run.failed?.hint ?? ""} />
            </span>
          </p>
        ))}
      {isCurator.value ? (
        <p>
          <button
            type="button"
            class="secondary"
            onClick={() => void attempt(() => download(`/jobs/${id}/page`, "comparison.html"))}
          >
            Download the report of this comparison
          </button>
        </p>
      ) : (
        <p class="quiet">Figures are rounded. What an algorithm makes of the table is seen by the curator only.</p>
      )}
    </section>
  );
}
