/** The exact release, or the three offers that each give way on one point. */

import type { Offer, OfferKind } from "../api/types";
import { count, counted, figure, listed, parameter } from "../format";
import { answered, chosen, chosenKind, offers, take } from "../state/negotiation";
import { rowsOf, type Wish } from "../state/wish";
import { server, upTo } from "../state/workbench";
import { OFFER_MARKS, OFFER_NAMES } from "../words";
import { Figure, Levels, Suppressed } from "./OfferFigures";
import { Problem } from "./Problem";
import { Propose } from "./Propose";
import { Term } from "./Term";

export function Answers() {
  const heard = answered.value;
  const list = offers.value;
  const isExact = list[0]?.[0] === "exact";
  const hasAnswer = heard.value !== null && heard.error === null;
  return (
    <section class="answers" aria-label="Answer" aria-busy={heard.isAsking}>
      <div class={heard.isAsking ? "stale" : ""}>
        {heard.error && <Problem error={heard.error} />}
        <div class={hasAnswer ? "verdict" : ""}>
          {/* There before it says anything, so that screen readers notice when it does. */}
          <span role="status" aria-atomic="true">
            {hasAnswer && (
              <>
                <strong class={isExact ? "yes" : "no"}>
                  <span aria-hidden="true">{isExact ? "✓ " : "✗ "}</span>
                  {verdict(list)}
                </strong>
                <span class="sr-only"> {list.map(spoken).join(" ")}</span>
              </>
            )}
          </span>
          {hasAnswer && (
            <span class="quiet"> answered in {Math.max(1, Math.round(heard.value?.milliseconds ?? 0))} ms</span>
          )}
        </div>
        {heard.value && !heard.error && (
          <>
            {heard.value.answer.monotone === false && (
              <p class="quiet">
                This model is not <Term name="monotone" />: every node was looked at, none was inferred.
              </p>
            )}
            {heard.value.answer.lattice?.complete === false && (
              <p class="quiet">Only part of the lattice was counted, so there may be a better release.</p>
            )}
            <div class={`offers ${isExact ? "one" : "several"}`}>
              {list.map(([kind, offer]) => (
                <OfferCard key={kind} kind={kind} offer={offer} asked={heard.value?.wish ?? null} />
              ))}
              {!isExact && <Missing list={list} />}
            </div>
          </>
        )}
        {!heard.value && !heard.error && <p aria-busy="true">Asking…</p>}
      </div>
    </section>
  );
}

function verdict(list: [OfferKind, Offer][]): string {
  if (list[0]?.[0] === "exact") return "Your request can be met.";
  if (list.length === 0) return "Your request cannot be met, and giving way on one point is not enough.";
  return `Your request cannot be met as it is. ${list.length === 1 ? "One offer gives" : `${list.length === 2 ? "Two" : "Three"} offers each give`} way on one point.`;
}

/** An offer in a sentence, for those who do not see its card. */
function spoken([kind, offer]: [OfferKind, Offer]): string {
  const names = server.value?.quasi_identifiers.map((column) => column.name) ?? [];
  const levels = offer.levels.map((level, index) => `${names[index]} ${level}`);
  const what = kind === "exact" ? "" : `${OFFER_NAMES[kind]}: `;
  return `${what}${offer.model}, ${upTo()}${counted(offer.rows_suppressed, "row")} suppressed, levels ${listed(levels)}.`;
}

const WHY_MISSING: Record<OfferKind, string> = {
  exact: "",
  "more-suppression": "Suppressing more rows is not possible within the bounds.",
  "higher-levels": "No higher levels meet the request: there are none within the bounds.",
  "weaker-privacy": "Even the weakest promise would not be enough at these levels.",
};

function Missing({ list }: { list: [OfferKind, Offer][] }) {
  const kinds: OfferKind[] = ["more-suppression", "higher-levels", "weaker-privacy"];
  return (
    <>
      {kinds
        .filter((kind) => !list.some(([one]) => one === kind))
        .map((kind) => (
          <article key={kind} class="offer none">
            <h3>{OFFER_NAMES[kind]}</h3>
            <p class="quiet">{WHY_MISSING[kind]}</p>
          </article>
        ))}
    </>
  );
}

function OfferCard({ kind, offer, asked }: { kind: OfferKind; offer: Offer; asked: Wish | null }) {
  const isChosen = chosen.value?.[0] === kind;
  const isAlone = kind === "exact";
  const rows = server.value?.table?.rows ?? 0;
  return (
    <article class={`offer${isChosen && !isAlone ? " chosen" : ""}`} data-offer={kind}>
      <h3>
        {!isAlone && <b class="offer-mark">{OFFER_MARKS[kind]}</b>} {OFFER_NAMES[kind]}
      </h3>
      {!isAlone && <p class="gives-way">{givesWay(offer, asked, rows)}</p>}
      <dl>
        <Figure word="Promise">
          <dd data-figure="model">{offer.model}</dd>
        </Figure>
        <Suppressed offer={offer} />
        <Levels offer={offer} isBeyond={(index) => isBeyond(offer, index, asked)} />
        <Figure word={<Term name="height">Height</Term>}>
          <dd data-figure="height">{offer.height}</dd>
        </Figure>
        <Figure word={<Term name="class">Classes</Term>}>
          <dd>
            <span data-figure="classes">{count(offer.classes)}</span>
            <span class="quiet">
              {offer.smallest_class !== null && offer.smallest_class !== undefined && (
                <>
                  , smallest <span data-figure="smallest_class">{count(offer.smallest_class)}</span>
                </>
              )}
              {/* An average that is too small to be told to the analyst comes as 0. */}
              {!!offer.average_class && (
                <>
                  , average <span data-figure="average_class">{figure(offer.average_class)}</span>
                </>
              )}
            </span>
          </dd>
        </Figure>
      </dl>
      <div class="actions">
        {!isAlone && (
          <>
            <button type="button" onClick={() => take(kind, offer)}>
              Take this offer
            </button>
            <button
              type="button"
              class="secondary"
              aria-pressed={isChosen}
              onClick={() => {
                chosenKind.value = kind;
              }}
            >
              {isChosen ? "Shown" : "Show below"}
            </button>
          </>
        )}
        <Propose kind={kind} />
      </div>
    </article>
  );
}

function isBeyond(offer: Offer, index: number, asked: Wish | null): boolean {
  return asked !== null && (offer.levels[index] ?? 0) > (asked.levels[index] ?? 0);
}

function givesWay(offer: Offer, asked: Wish | null, rows: number): string {
  const way = offer.gives_way;
  if (!way) return "";
  if (way.wish === "suppression") {
    const allowed = asked ? rowsOf(asked.budget, rows) : 0;
    return `${counted(way.rows_beyond, "row")} more than the ${count(allowed)} you allow.`;
  }
  if (way.wish === "levels") {
    const steps = Object.entries(way.steps_beyond).map(([name, by]) => `${name} by ${counted(by, "level")}`);
    return `Above your highest levels: ${listed(steps)}.`;
  }
  return `Promises ${parameter(offer.parameter)} where you asked for ${parameter(way.asked)}.`;
}
