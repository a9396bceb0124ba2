/** One negotiation: the request, its history, and what the server answers to it. */

import { computed, effect, signal } from "@preact/signals";
import { AskError, ask } from "../api/client";
import type {
  Answer,
  Curve,
  Distribution,
  LatticeFilter,
  LatticePicture,
  Offer,
  OfferKind,
  Preview,
  WishBody,
} from "../api/types";
import { begin, current, goTo, type History, move } from "./history";
import { Latest } from "./latest";
import { readLink, writeLink } from "./link";
import { bodyOf, firstWish, fitted, sameWish, taking, type Wish } from "./wish";
import { isCurator, sees, server, view } from "./workbench";

export interface Answered {
  wish: Wish;
  answer: Answer;
  /** How long the answer took, as the person at the page felt it. */
  milliseconds: number;
}

/** What is known about a question that may still be open. */
export interface Heard<T> {
  value: T | null;
  error: AskError | null;
  isAsking: boolean;
}

const nothing = <T>(): Heard<T> => ({ value: null, error: null, isAsking: false });

export const past = signal<History<Wish> | null>(null);
export const wish = computed<Wish | null>(() => (past.value ? current(past.value) : null));
export const answered = signal<Heard<Answered>>(nothing());
/** The offer that was looked at before the present one, to compare with. */
export const lastOffer = signal<Offer | null>(null);
export const chosenKind = signal<OfferKind | null>(null);
export const curve = signal<Heard<Curve>>(nothing());
export const lattice = signal<Heard<LatticePicture>>(nothing());
export const latticeFilter = signal<LatticeFilter>({});
export const distributions = signal<Heard<Distribution[]>>(nothing());
export const preview = signal<Heard<Preview>>(nothing());
/** What every entry of the history was answered with, by the text of its link. */
export const outcomes = signal<ReadonlyMap<string, string>>(new Map());

/** The last answer; stays the same object while the next one is awaited. */
const heardAnswer = computed<Answered | null>(() => answered.value.value);

export const offers = computed<[OfferKind, Offer][]>(() => offersOf(heardAnswer.value?.answer ?? null));

/** The offer that metrics, distributions and preview are about. */
export const chosen = computed<[OfferKind, Offer] | null>(() => {
  const list = offers.value;
  return list.find(([kind]) => kind === chosenKind.value) ?? list[0] ?? null;
});

export function offersOf(answer: Answer | null): [OfferKind, Offer][] {
  if (!answer) return [];
  if (answer.kind === "exact") return [["exact", answer.answer]];
  const all: [OfferKind, Offer | null][] = [
    ["more-suppression", answer.more_suppression],
    ["higher-levels", answer.higher_levels],
    ["weaker-privacy", answer.weaker_privacy],
  ];
  return all.filter((pair): pair is [OfferKind, Offer] => pair[1] !== null);
}

function settle<T>(target: { value: Heard<T> }) {
  return {
    hears: (value: T) => {
      target.value = { value, error: null, isAsking: false };
    },
    fails: (error: unknown) => {
      if (error instanceof AskError && error.isUnreachable) return;
      const known = error instanceof AskError ? error : new AskError(1, { code: "page", message: String(error) });
      target.value = { value: null, error: known, isAsking: false };
    },
  };
}

/** What is sent for a request. The server adds the settings of a model by itself for the analyst, who may not choose them. */
export function sent(wish: Wish): WishBody {
  const bound = server.peek()?.bounds.models.find((model) => model.name === wish.model);
  return bodyOf(wish, isCurator.peek() ? bound?.settings : {});
}

const ANSWER_DELAY_MS = 40;
const PICTURE_DELAY_MS = 160;

const answerAsker = new Latest<Wish, Answered>(
  async (asked, signal) => {
    const began = performance.now();
    const answer = await ask<Answer>("/negotiate", { method: "POST", body: sent(asked), signal });
    return { wish: asked, answer, milliseconds: performance.now() - began };
  },
  (heard, asked) => {
    const before = chosen.value;
    if (before && answered.value.value && !sameWish(answered.value.value.wish, asked)) lastOffer.value = before[1];
    answered.value = { value: heard, error: null, isAsking: false };
    const key = writeLink("negotiate", asked);
    outcomes.value = new Map(outcomes.value).set(key, outcomeOf(heard.answer));
  },
  settle(answered).fails,
  ANSWER_DELAY_MS,
);

const curveAsker = new Latest<Wish, Curve>(
  (asked, signal) => ask("/curve", { method: "POST", body: sent(asked), signal }),
  settle(curve).hears,
  settle(curve).fails,
  PICTURE_DELAY_MS,
);

const latticeAsker = new Latest<{ asked: Wish; filter: LatticeFilter }, LatticePicture>(
  ({ asked, filter }, signal) =>
    ask("/lattice", { method: "POST", body: { ...sent(asked), ...(hasAny(filter) ? { filter } : {}) }, signal }),
  settle(lattice).hears,
  settle(lattice).fails,
  PICTURE_DELAY_MS,
);

interface About {
  kind: OfferKind;
  offer: Offer;
  asked: Wish;
}

const distributionAsker = new Latest<About, Distribution[]>(
  async (about, signal) => {
    const body = { levels: about.offer.levels, wish: sent(taking(about.asked, about.kind, about.offer)) };
    const found = await ask<Distribution[] | { columns?: Distribution[]; distributions?: Distribution[] }>(
      "/distributions",
      { method: "POST", body, signal },
    );
    return Array.isArray(found) ? found : (found.columns ?? found.distributions ?? []);
  },
  settle(distributions).hears,
  settle(distributions).fails,
  PICTURE_DELAY_MS,
);

const previewAsker = new Latest<About, Preview>(
  (about, signal) => {
    const wish = sent(taking(about.asked, about.kind, about.offer));
    return ask("/preview", { method: "POST", body: { levels: about.offer.levels, wish, rows: 20 }, signal });
  },
  settle(preview).hears,
  settle(preview).fails,
  PICTURE_DELAY_MS,
);

const hasAny = (filter: LatticeFilter) => Object.values(filter).some((value) => value !== undefined);

function outcomeOf(answer: Answer): string {
  if (answer.kind === "exact")
    return `met, ${answer.answer.rows_suppressed} suppressed, height ${answer.answer.height}`;
  const number = offersOf(answer).length;
  return number === 0 ? "cannot be met" : `not met, ${number} ${number === 1 ? "offer" : "offers"}`;
}

/** Changes the request. `moved` names the control, so that one drag is one step back. */
export function wishFor(next: Wish, moved: string): void {
  const history = past.value;
  if (!history || sameWish(current(history), next)) return;
  past.value = move(history, next, moved, Date.now());
}

export function stepTo(index: number): void {
  if (past.value) past.value = goTo(past.value, index);
}

export function take(kind: OfferKind, offer: Offer): void {
  const asked = answered.value.value?.wish;
  if (!asked) return;
  chosenKind.value = null;
  wishFor(taking(asked, kind, offer), `take-${kind}`);
}

/** What the request is about: if this changes, everything is asked anew. */
const ground = computed<string | null>(() => {
  const state = server.value;
  if (state?.step !== "counted" || state.quasi_identifiers.length === 0) return null;
  const columns = state.quasi_identifiers.map((column) => [column.index, column.levels, column.level_names]);
  return JSON.stringify([state.table?.name, state.table?.rows, columns, state.bounds, state.lattice]);
});

let lastGround: string | null = null;

/** Fits the request to the table whenever that changes; a link in the address bar comes first. */
function settleGround(key: string | null): void {
  const state = server.peek();
  if (key === null || !state) {
    past.value = null;
    answered.value = nothing();
    return;
  }
  const linked = readLink(location.hash).wish;
  const before = past.peek();
  if (before) {
    const fit = fitted(current(before), state.models, state.bounds, state.quasi_identifiers, state.table?.rows ?? 0);
    if (!sameWish(fit, current(before))) past.value = begin(fit, Date.now());
    return;
  }
  const wanted = linked ?? firstWish(state.models, state.bounds, state.quasi_identifiers, state.table?.rows ?? 0);
  past.value = begin(
    fitted(wanted, state.models, state.bounds, state.quasi_identifiers, state.table?.rows ?? 0),
    Date.now(),
  );
}

/** A link was pasted, or the back button pressed. */
export function followLink(): void {
  const state = server.value;
  const linked = readLink(location.hash).wish;
  if (!state || !linked || !past.value) return;
  wishFor(fitted(linked, state.models, state.bounds, state.quasi_identifiers, state.table?.rows ?? 0), "link");
}

const asking = <T>(target: { value: Heard<T>; peek(): Heard<T> }) => {
  target.value = { ...target.peek(), isAsking: true };
};

/** Ties the questions to the request. Called once. */
export function watchNegotiation(): void {
  effect(() => {
    const key = ground.value;
    if (key === lastGround) return;
    lastGround = key;
    settleGround(key);
  });
  effect(() => {
    const now = wish.value;
    const key = ground.value;
    if (!now || key === null) return;
    asking(answered);
    answerAsker.ask(now);
  });
  effect(() => {
    if (wish.value && view.value === "negotiate") history.replaceState(null, "", writeLink("negotiate", wish.value));
  });
  effect(() => {
    const now = wish.value;
    if (!now || ground.value === null || view.value !== "negotiate") return;
    if (sees("lattice")) {
      asking(lattice);
      latticeAsker.ask({ asked: now, filter: latticeFilter.value });
    }
  });
  effect(() => {
    const about = chosen.value;
    const heard = heardAnswer.value;
    if (view.value !== "negotiate") return;
    if (!about || !heard) {
      curve.value = nothing();
      distributions.value = nothing();
      preview.value = nothing();
      return;
    }
    // Bounds may have changed what may be asked; pictures wait for the answer to the request as it is now.
    if (heard.wish !== wish.value) return;
    const [kind, offer] = about;
    if (sees("curve")) {
      asking(curve);
      curveAsker.ask({ ...heard.wish, levels: offer.levels });
    }
    if (sees("distributions")) {
      asking(distributions);
      distributionAsker.ask({ kind, offer, asked: heard.wish });
    }
    if (isCurator.value) {
      asking(preview);
      previewAsker.ask({ kind, offer, asked: heard.wish });
    }
  });
}
