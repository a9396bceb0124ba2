/** Requests on the left, what they cost on the right. */

import { Answers } from "../parts/Answers";
import { Curve } from "../parts/Curve";
import { Distributions } from "../parts/Distributions";
import { Lattice } from "../parts/Lattice";
import { LatticeFilters } from "../parts/LatticeFilters";
import { Metrics } from "../parts/Metrics";
import { Panel } from "../parts/Panel";
import { PreviewTable } from "../parts/PreviewTable";
import { Term } from "../parts/Term";
import { Wishes } from "../parts/Wishes";
import { chosen, curve, distributions, lattice, offers, preview, wish, wishFor } from "../state/negotiation";
import { rowsOf } from "../state/wish";
import { go, isCurator, sees, server } from "../state/workbench";
import { OFFER_NAMES } from "../words";

export function NegotiateView() {
  const state = server.value;
  const now = wish.value;
  if (state?.step !== "counted" || !now || !state.table) return <NotReady />;
  const rows = state.table.rows;
  const budget = rowsOf(now.budget, rows);
  const about = chosen.value;

  return (
    <>
      <h1 class="sr-only">Negotiate</h1>
      <div class="negotiate">
        <Wishes wish={now} state={state} />
        <div class="costs">
          <Answers />
          {about && offers.value.length > 1 && (
            <p class="about quiet">Below, everything is about the offer “{OFFER_NAMES[about[0]].toLowerCase()}”.</p>
          )}
          <div class="panels">
            {about && sees("curve") && (
              <Panel
                title="What privacy costs"
                intro={
                  <>
                    Rows suppressed for every promise, at the levels of this release. The dashed line is your{" "}
                    <Term name="budget" />, the dotted one what you ask for.
                  </>
                }
                heard={curve.value}
              >
                {(data) => <Curve data={data} />}
              </Panel>
            )}
            {about && (sees("metrics") || about[1].metrics) && <Metrics offer={about[1]} />}
            {sees("lattice") && (
              <Panel
                title="Every combination of levels"
                intro={
                  <>
                    Each dot is a <Term name="node" /> of the <Term name="lattice" />; a row of dots has the same{" "}
                    <Term name="height" />.
                  </>
                }
                heard={lattice.value}
                tools={<LatticeFilters rows={rows} />}
                isWide
              >
                {(picture) => (
                  <Lattice
                    picture={picture}
                    rows={rows}
                    budget={budget}
                    marked={{ limit: now.levels, offers: offers.value.map(([kind, offer]) => [kind, offer.levels]) }}
                    onLimit={(levels) => wishFor({ ...now, levels: [...levels] }, "lattice")}
                  />
                )}
              </Panel>
            )}
            {about && sees("distributions") && (
              <Panel
                title="Distributions before and after"
                intro="Rows with each published value: in the table, and in the release."
                heard={distributions.value}
                isWide
              >
                {(columns) => <Distributions columns={columns} />}
              </Panel>
            )}
            {about && isCurator.value && (
              <Panel
                title="Preview of the release"
                intro="The first rows as they would be published. Only you see this."
                heard={preview.value}
                isWide
              >
                {(data) => <PreviewTable preview={data} />}
              </Panel>
            )}
          </div>
        </div>
      </div>
    </>
  );
}

function NotReady() {
  const step = server.value?.step;
  if (!isCurator.value) {
    return (
      <>
        <h1>Nothing to negotiate yet</h1>
        <p>The curator is preparing the table. This page continues by itself.</p>
      </>
    );
  }
  return (
    <>
      <h1>Not counted yet</h1>
      <p>
        {step === "empty" ? "Load a table first." : "Give the columns their roles; then the table is counted once."}{" "}
        <button type="button" onClick={() => go(step === "empty" ? "table" : "roles")}>
          {step === "empty" ? "Load a table" : "Go to the roles"}
        </button>
      </p>
    </>
  );
}
