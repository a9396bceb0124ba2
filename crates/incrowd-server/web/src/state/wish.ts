/** A request for a release, as the controls of the page hold it. */

import type { Bounds, ModelCard, Offer, OfferKind, QuasiIdentifier, Settings, WishBody } from "../api/types";

export interface Budget {
  amount: number;
  unit: "%" | "rows";
}

export interface Wish {
  model: string;
  parameter: number;
  budget: Budget;
  /** The highest level that is acceptable for every quasi-identifier, in their order. */
  levels: number[];
  metric: string;
}

export const DEFAULT_METRIC = "height";

export function readBudget(text: string | number): Budget | null {
  const trimmed = String(text).trim();
  const match = /^(\d+(?:\.\d+)?)\s*(%?)$/.exec(trimmed);
  if (!match) return null;
  const amount = Number(match[1]);
  if (match[2] === "%") return amount <= 100 ? { amount, unit: "%" } : null;
  return Number.isInteger(amount) ? { amount, unit: "rows" } : null;
}

export function writeBudget(budget: Budget): string | number {
  return budget.unit === "%" ? `${budget.amount}%` : budget.amount;
}

/** How many rows a budget allows: a share is rounded down, so that it is never exceeded. */
export function rowsOf(budget: Budget, rows: number): number {
  // Percentages such as 0.3 have no exact double; a millionth of a row is no row.
  return budget.unit === "%" ? Math.floor((budget.amount * rows) / 100 + 1e-6) : budget.amount;
}

/** Settings as people write them: `k=5, column=disease`. */
export function writeSettings(settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}

/** Reads settings; none if the text is not a list of them. */
export function readSettings(text: string): Settings | null {
  const settings: Settings = {};
  for (const part of text.split(",").filter((one) => one.trim() !== "")) {
    const match = /^\s*([a-z][a-z-]*)\s*=\s*(\S(?:.*\S)?)\s*$/.exec(part);
    if (!match?.[1] || !match[2]) return null;
    const number = Number(match[2]);
    settings[match[1]] = Number.isFinite(number) ? number : match[2];
  }
  return settings;
}

/** A request as the server reads it. `settings` are those that the bounds give the model. */
export function bodyOf(wish: Wish, settings: Settings = {}): WishBody {
  const written = writeSettings(settings).replaceAll(" ", "");
  return {
    model: written === "" ? wish.model : `${wish.model}(${written})`,
    parameter: wish.parameter,
    max_suppressed: writeBudget(wish.budget),
    max_levels: wish.levels,
    metric: wish.metric,
  };
}

export function sameWish(one: Wish, other: Wish): boolean {
  return (
    one.model === other.model &&
    one.parameter === other.parameter &&
    one.budget.amount === other.budget.amount &&
    one.budget.unit === other.budget.unit &&
    one.metric === other.metric &&
    one.levels.length === other.levels.length &&
    one.levels.every((level, index) => level === other.levels[index])
  );
}

/** The request with which a negotiation begins: a usual promise, one row in a hundred, all levels allowed. */
export function firstWish(
  models: ModelCard[],
  bounds: Bounds,
  quasiIdentifiers: QuasiIdentifier[],
  rows: number,
): Wish {
  const allowed = bounds.models[0];
  const card = models.find((model) => model.name === allowed?.name) ?? models[0];
  const range = rangeOf(card?.name ?? "k-anonymity", models, bounds);
  const usual = card?.whole === false ? range.floor : 5;
  return {
    model: card?.name ?? "k-anonymity",
    parameter: within(usual, range),
    budget: allowedBudget({ amount: 1, unit: "%" }, bounds, rows),
    levels: topLevels(quasiIdentifiers, bounds),
    metric: DEFAULT_METRIC,
  };
}

/** A budget, or the greatest that the bounds allow if it is beyond that. */
function allowedBudget(budget: Budget, bounds: Bounds, rows: number): Budget {
  const most = readBudget(bounds.max_suppressed);
  return most && rowsOf(most, rows) < rowsOf(budget, rows) ? most : budget;
}

/** The highest levels that may be asked for. */
export function topLevels(quasiIdentifiers: QuasiIdentifier[], bounds: Bounds): number[] {
  return quasiIdentifiers.map((column, index) => Math.min(column.levels, bounds.max_levels?.[index] ?? column.levels));
}

export interface Range {
  least: number;
  most: number;
  step: number;
  floor: number;
}

/** Between which parameters a slider moves. `floor` is the weakest promise, which need not be the smallest number. */
export function rangeOf(model: string, models: ModelCard[], bounds: Bounds): Range {
  const card = models.find((entry) => entry.name === model);
  const bound = bounds.models.find((entry) => entry.name === model);
  const floor = bound?.floor ?? card?.floor ?? (card?.stronger === "down" ? 1 : 2);
  const ceiling = bound?.ceiling ?? card?.ceiling ?? (card?.stronger === "down" ? 0 : 100);
  const least = Math.min(floor, ceiling);
  const most = Math.max(floor, ceiling);
  const step = card?.whole !== false ? 1 : most - least > 10 ? 0.1 : 0.01;
  return { least, most, step, floor };
}

export function within(value: number, range: Range): number {
  return Math.min(range.most, Math.max(range.least, value));
}

/** Fits a request, perhaps from an old link, to the table and the bounds of today. */
export function fitted(
  wish: Wish,
  models: ModelCard[],
  bounds: Bounds,
  quasiIdentifiers: QuasiIdentifier[],
  rows: number,
): Wish {
  const budget = allowedBudget(wish.budget, bounds, rows);
  const isKnown = models.some((model) => model.name === wish.model);
  if (!isKnown) return { ...firstWish(models, bounds, quasiIdentifiers, rows), budget };
  const top = topLevels(quasiIdentifiers, bounds);
  return {
    ...wish,
    budget,
    parameter: within(wish.parameter, rangeOf(wish.model, models, bounds)),
    levels: wish.levels.length === top.length ? wish.levels.map((level, i) => Math.min(level, top[i] ?? 0)) : top,
  };
}

/** The request that an offer meets exactly: the wish that gave way now says what the offer needs. */
export function taking(wish: Wish, kind: OfferKind, offer: Offer): Wish {
  switch (kind) {
    case "exact":
      return wish;
    case "more-suppression":
      return { ...wish, budget: { amount: offer.rows_suppressed, unit: "rows" } };
    case "higher-levels":
      return { ...wish, levels: wish.levels.map((level, index) => Math.max(level, offer.levels[index] ?? 0)) };
    case "weaker-privacy":
      return { ...wish, parameter: Number(offer.parameter) };
  }
}
