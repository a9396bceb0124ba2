import { describe, expect, it } from "vitest";
import type { Bounds, ModelCard, Offer, QuasiIdentifier } from "../../src/api/types";
import {
  bodyOf,
  firstWish,
  fitted,
  rangeOf,
  readBudget,
  readSettings,
  rowsOf,
  taking,
  type Wish,
  writeSettings,
} from "../../src/state/wish";

const sees = { lattice: true, curve: true, distributions: true, metrics: true, hierarchies: true, trials: true };
const bounds: Bounds = {
  models: [{ name: "k-anonymity", floor: 3, ceiling: 50 }],
  max_suppressed: "20%",
  max_levels: [3, 1],
  mask: 10,
  analyst_sees: sees,
};
const card = (name: string, whole: boolean, stronger: "up" | "down"): ModelCard => ({
  name,
  parameter: name[0] ?? "",
  whole,
  stronger,
  floor: null,
  ceiling: null,
  one_line: "",
});
const models = [card("k-anonymity", true, "up"), card("t-closeness", false, "down")];
const columns: QuasiIdentifier[] = [
  { index: 0, name: "age", levels: 4, level_names: [] },
  { index: 1, name: "sex", levels: 1, level_names: [] },
];
const wish: Wish = {
  model: "k-anonymity",
  parameter: 10,
  budget: { amount: 1, unit: "%" },
  levels: [1, 0],
  metric: "height",
};
const offer = { levels: [2, 0], parameter: 6, rows_suppressed: 608 } as Offer;

describe("budgets", () => {
  it("are read as rows or shares, and nothing else", () => {
    expect(readBudget("1.5%")).toEqual({ amount: 1.5, unit: "%" });
    expect(readBudget(321)).toEqual({ amount: 321, unit: "rows" });
    for (const wrong of ["", "-1", "1.5", "101%", "1e3", "five"]) expect(readBudget(wrong)).toBeNull();
  });

  it("never allow a row too many, nor lose one to rounding", () => {
    expect(rowsOf({ amount: 1, unit: "%" }, 30162)).toBe(301);
    expect(rowsOf({ amount: 0.3, unit: "%" }, 1000)).toBe(3);
    expect(rowsOf({ amount: 2.3, unit: "%" }, 3000)).toBe(69);
  });
});

describe("settings", () => {
  it("are read as they are written", () => {
    expect(readSettings("k=5, column=disease")).toEqual({ k: 5, column: "disease" });
    expect(readSettings(writeSettings({ l: 3, distance: "ordered" }))).toEqual({ l: 3, distance: "ordered" });
    expect(readSettings("")).toEqual({});
    for (const wrong of ["k", "=5", "k=", "k=5; l=3 ,x"]) expect(readSettings(wrong)).toBeNull();
  });
});

describe("requests", () => {
  it("begin within the bounds", () => {
    expect(firstWish(models, bounds, columns, 30162)).toEqual({ ...wish, parameter: 5, levels: [3, 1] });
    const strict = { ...bounds, models: [{ name: "k-anonymity", floor: 8, ceiling: 50 }] };
    expect(firstWish(models, strict, columns, 30162).parameter).toBe(8);
    expect(firstWish(models, { ...bounds, max_suppressed: 7 }, columns, 30162).budget).toEqual({
      amount: 7,
      unit: "rows",
    });
  });

  it("move between floor and ceiling, whichever is the larger number", () => {
    expect(rangeOf("k-anonymity", models, bounds)).toEqual({ least: 3, most: 50, step: 1, floor: 3 });
    const close = { ...bounds, models: [{ name: "t-closeness", floor: 0.5, ceiling: 0.1 }] };
    expect(rangeOf("t-closeness", models, close)).toEqual({ least: 0.1, most: 0.5, step: 0.01, floor: 0.5 });
  });

  it("from an old link are fitted to the table of today", () => {
    const old: Wish = { ...wish, parameter: 99, levels: [9, 9] };
    expect(fitted(old, models, bounds, columns, 30162)).toEqual({ ...old, parameter: 50, levels: [3, 1] });
    expect(fitted({ ...wish, levels: [1, 1, 1] }, models, bounds, columns, 30162).levels).toEqual([3, 1]);
    expect(fitted({ ...wish, model: "gone" }, models, bounds, columns, 30162).model).toBe("k-anonymity");
  });

  it("give up a budget that the bounds no longer allow", () => {
    const narrow = { ...bounds, max_suppressed: "0.5%" };
    expect(fitted(wish, models, narrow, columns, 30162).budget).toEqual({ amount: 0.5, unit: "%" });
    const rows: Wish = { ...wish, budget: { amount: 150, unit: "rows" } };
    expect(fitted(rows, models, narrow, columns, 30162).budget).toEqual(rows.budget);
  });

  it("change only where an offer gives way when it is taken", () => {
    expect(taking(wish, "more-suppression", offer)).toEqual({ ...wish, budget: { amount: 608, unit: "rows" } });
    expect(taking(wish, "higher-levels", offer)).toEqual({ ...wish, levels: [2, 0] });
    expect(taking({ ...wish, levels: [0, 1] }, "higher-levels", offer).levels).toEqual([2, 1]);
    expect(taking(wish, "weaker-privacy", offer)).toEqual({ ...wish, parameter: 6 });
    expect(taking(wish, "exact", offer)).toEqual(wish);
  });

  it("are sent as the command line reads them", () => {
    expect(bodyOf(wish)).toEqual({
      model: "k-anonymity",
      parameter: 10,
      max_suppressed: "1%",
      max_levels: [1, 0],
      metric: "height",
    });
    expect(bodyOf({ ...wish, budget: { amount: 7, unit: "rows" } }).max_suppressed).toBe(7);
    const alpha: Wish = { ...wish, model: "alpha-k-anonymity", parameter: 0.5 };
    expect(bodyOf(alpha, { k: 5, column: "disease" }).model).toBe("alpha-k-anonymity(k=5,column=disease)");
  });
});
