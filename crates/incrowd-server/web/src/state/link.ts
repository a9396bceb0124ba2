/**
 * A link that restores a view and a request. It stands in the fragment, which no server sees, and holds names of
 * models and metrics and numbers only: no column name and no value of the table.
 */

import { readBudget, type Wish, writeBudget } from "./wish";

export const VIEWS = ["table", "roles", "hierarchies", "bounds", "negotiate", "trials", "deals", "audit"] as const;
export type View = (typeof VIEWS)[number];

export interface Place {
  view: View | null;
  wish: Wish | null;
}

export function writeLink(view: View, wish: Wish | null): string {
  if (!wish || view !== "negotiate") return `#/${view}`;
  const parts = new URLSearchParams({
    model: wish.model,
    parameter: String(wish.parameter),
    suppress: String(writeBudget(wish.budget)),
    levels: wish.levels.join("."),
    metric: wish.metric,
  });
  return `#/${view}?${parts}`;
}

const NAME = /^[a-z][a-z0-9-]{0,60}$/;

/** Reads a link; whatever is wrong in it is left out, never an error. */
export function readLink(fragment: string): Place {
  const match = /^#?\/([a-z]+)(?:\?(.*))?$/.exec(fragment);
  const view = VIEWS.find((name) => name === match?.[1]) ?? null;
  if (!view || !match?.[2]) return { view, wish: null };
  const parts = new URLSearchParams(match[2]);
  const model = parts.get("model") ?? "";
  const parameter = Number(parts.get("parameter") ?? Number.NaN);
  const budget = readBudget(parts.get("suppress") ?? "");
  const levels = (parts.get("levels") ?? "").split(".").map(Number);
  const metric = parts.get("metric") ?? "height";
  const isWhole =
    NAME.test(model) &&
    NAME.test(metric) &&
    Number.isFinite(parameter) &&
    parameter >= 0 &&
    budget !== null &&
    levels.every((level) => Number.isInteger(level) && level >= 0 && level <= 255) &&
    parts.get("levels") !== "";
  return { view, wish: isWhole ? { model, parameter, budget, levels, metric } : null };
}
