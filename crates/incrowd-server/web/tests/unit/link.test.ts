import { describe, expect, it } from "vitest";
import { splitToken } from "../../src/api/token";
import { readLink, writeLink } from "../../src/state/link";
import type { Wish } from "../../src/state/wish";

const wish: Wish = {
  model: "k-anonymity",
  parameter: 10,
  budget: { amount: 1.5, unit: "%" },
  levels: [2, 0, 1],
  metric: "height",
};

describe("links", () => {
  it("restore the view and the request they were written for", () => {
    expect(readLink(writeLink("negotiate", wish))).toEqual({ view: "negotiate", wish });
    const rows: Wish = { ...wish, budget: { amount: 321, unit: "rows" }, model: "t-closeness", parameter: 0.15 };
    expect(readLink(writeLink("negotiate", rows))).toEqual({ view: "negotiate", wish: rows });
  });

  it("hold no request outside the negotiation", () => {
    expect(writeLink("deals", wish)).toBe("#/deals");
    expect(readLink("#/deals")).toEqual({ view: "deals", wish: null });
  });

  it.each([
    "#/negotiate?model=<script>&parameter=5&suppress=1%25&levels=1.1&metric=height",
    "#/negotiate?model=k-anonymity&parameter=NaN&suppress=1%25&levels=1.1&metric=height",
    "#/negotiate?model=k-anonymity&parameter=-5&suppress=1%25&levels=1.1&metric=height",
    "#/negotiate?model=k-anonymity&parameter=5&suppress=-1&levels=1.1&metric=height",
    "#/negotiate?model=k-anonymity&parameter=5&suppress=101%25&levels=1.1&metric=height",
    "#/negotiate?model=k-anonymity&parameter=5&suppress=1%25&levels=1.x&metric=height",
    "#/negotiate?model=k-anonymity&parameter=5&suppress=1%25&levels=&metric=height",
    "#/negotiate?model=k-anonymity",
  ])("ignore a request that makes no sense: %s", (link) => {
    expect(readLink(link)).toEqual({ view: "negotiate", wish: null });
  });

  it.each(["", "#", "#/nowhere", "#token=abc", "#/../etc"])("ignore what is no link: %s", (link) => {
    expect(readLink(link)).toEqual({ view: null, wish: null });
  });
});

describe("tokens", () => {
  it("are taken out of the fragment, and a state behind them is kept", () => {
    expect(splitToken("#token=a-B_9")).toEqual({ token: "a-B_9", rest: "" });
    expect(splitToken("#token=abc&/negotiate?model=x")).toEqual({ token: "abc", rest: "/negotiate?model=x" });
    expect(splitToken("#/deals")).toEqual({ token: null, rest: "/deals" });
  });
});
