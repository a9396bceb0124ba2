/** The exact release, or the three offers that each give way on one point. */

import { useSignal } from "@preact/signals";
import { ask } from "../api/client";
import type { Job, Offer, OfferKind, Proposal } from "../api/types";
import { count, counted, figure, listed, parameter, share } from "../format";
import { answered, chosen, chosenKind, offers, sent, take, wish } from "../state/negotiation";
import { say } from "../state/notices";
import { rowsOf, type Wish } from "../state/wish";
import { attempt, follow, go, isCurator, refresh, server, upTo } from "../state/workbench";
import { OFFER_MARKS, OFFER_NAMES } from "../words";
import { Problem } from "./Problem";
import { Term } from "./Term";

export function Answers() {
  const heard = answered.value;
  const list = offers.value;
  const isExact = list[0]?.[0] === "exact";
  return (
    <section class="answers" aria-label="Answer" aria-busy={heard.isAsking}>
      <div class={heard.isAsking ? "stale" : ""}>
        {heard.error && <Problem error={heard.error} />}
        {heard.value && !heard.error && (
          <>
            <div class="verdict" role="status" aria-live="polite">
              <strong class={isExact ? "yes" : "no"}>
                {isExact ? "✓ " : "✗ "}
                {verdict(list)}
              </strong>
              <span class="quiet"> answered in {Math.max(1, Math.round(heard.value.milliseconds))} ms</span>
            </div>
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
  const names = server.value?.quasi_identifiers.map((column) => column.name) ?? [];
  return (
    <article class={`offer${isChosen && !isAlone ? " chosen" : ""}`} data-offer={kind}>
      <h3>
        {!isAlone && <b class="offer-mark">{OFFER_MARKS[kind]}</b>} {OFFER_NAMES[kind]}
      </h3>
      {!isAlone && <p class="gives-way">{givesWay(offer, asked, rows)}</p>}
      <dl>
        <div>
          <dt>Promise</dt>
          <dd data-figure="model">{offer.model}</dd>
        </div>
        <div>
          <dt>
            <Term name="suppression">Suppressed</Term>
          </dt>
          <dd>
            {upTo()}
            <b data-figure="rows_suppressed">{count(offer.rows_suppressed)}</b>{" "}
            {offer.rows_suppressed === 1 ? "row" : "rows"}{" "}
            <span class="quiet">({share(offer.share_suppressed ?? offer.rows_suppressed / Math.max(1, rows))})</span>
          </dd>
        </div>
        <div>
          <dt>
            <Term name="level">Levels</Term>
          </dt>
          <dd data-figure="levels" data-levels={offer.levels.join(",")}>
            {offer.levels.map((level, index) => (
              <span key={index} class={`level-tag${isBeyond(offer, index, asked) ? " beyond" : ""}`}>
                {names[index]} <b>{level}</b>
              </span>
            ))}
          </dd>
        </div>
        <div>
          <dt>
            <Term name="height">Height</Term>
          </dt>
          <dd data-figure="height">{offer.height}</dd>
        </div>
        <div>
          <dt>
            <Term name="class">Classes</Term>
          </dt>
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
        </div>
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

/** Approves a proposal of one's own. If that is refused, nothing stays open that nobody asked for. */
async function approveOwn(proposal: Proposal): Promise<void> {
  const path = `/proposals/${proposal.id}`;
  try {
    follow(await ask<Job>(`${path}/approve`, { method: "POST", body: {} }));
  } catch (error) {
    await ask(`${path}/withdraw`, { method: "POST", body: {} });
    throw error;
  }
}

/** The analyst proposes; the curator, who would have to approve, makes the release at once. */
function Propose({ kind }: { kind: OfferKind }) {
  const isOpen = useSignal(false);
  const note = useSignal("");
  const isSending = useSignal(false);
  const asked = answered.value.value?.wish;
  const isCurrent = asked === wish.value && !answered.value.isAsking;

  const send = async () => {
    if (!asked) return;
    isSending.value = true;
    const isDone = await attempt(async () => {
      const body = { wish: sent(asked), offer: kind, note: note.value };
      const proposal = await ask<Proposal>("/proposals", { method: "POST", body });
      if (isCurator.value) {
        await approveOwn(proposal);
      } else {
        say("Your proposal is sent.", "The curator sees it at once.");
      }
      await refresh();
    });
    isSending.value = false;
    if (!isDone) return;
    isOpen.value = false;
    go("deals");
  };

  if (!isOpen.value) {
    return (
      <button
        type="button"
        class={kind === "exact" ? "" : "secondary"}
        disabled={!isCurrent}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {isCurator.value ? "Make this release…" : "Propose this…"}
      </button>
    );
  }
  return (
    <div class="propose">
      <label>
        {isCurator.value ? "Note for the record" : "Note to the curator"} (optional)
        <textarea
          rows={2}
          maxLength={2000}
          value={note.value}
          onInput={(event) => {
            note.value = event.currentTarget.value;
          }}
        />
      </label>
      <button type="button" disabled={isSending.value || !isCurrent} onClick={() => void send()}>
        {isCurator.value ? "Make the release" : "Send the proposal"}
      </button>
      <button
        type="button"
        class="secondary"
        onClick={() => {
          isOpen.value = false;
        }}
      >
        Cancel
      </button>
    </div>
  );
}
