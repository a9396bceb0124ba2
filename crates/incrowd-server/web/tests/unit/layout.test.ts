import { describe, expect, it } from "vitest";
import type { LatticeNode, TreeNode } from "../../src/api/types";
import { foldedAtFirst, placeLattice, placeTree, steps } from "../../src/parts/layout";
import { RULES, readRule } from "../../src/parts/rules";

const leaf = (label: string): TreeNode => ({ label });
const tree: TreeNode = {
  label: "*",
  children: [
    { label: "low", children: [leaf("1"), leaf("2")] },
    { label: "high", children: [leaf("3")], more: 4 },
  ],
};

describe("trees", () => {
  it("put leaves below each other and groups at the middle of their children", () => {
    const { labels, depth, height } = placeTree(tree, () => false);
    const at = Object.fromEntries(labels.map((one) => [one.label, [one.depth, one.y]]));
    expect(at).toEqual({ "*": [0, 1.25], low: [1, 0.5], "1": [2, 0], "2": [2, 1], high: [1, 2], "3": [2, 2] });
    expect([depth, height]).toEqual([2, 3]);
  });

  it("hide the children of a folded group and count them", () => {
    const { labels, height } = placeTree(tree, (key) => key === "0.1");
    expect(labels.map((one) => one.label)).toEqual(["*", "low", "1", "2", "high"]);
    expect(labels.find((one) => one.label === "high")?.folded).toBe(5);
    expect(height).toBe(3);
  });

  it("fold what would not fit, from the leaves on, and never the root", () => {
    expect(foldedAtFirst(tree, 3)).toEqual(new Set());
    expect(foldedAtFirst(tree, 2)).toEqual(new Set(["0.0"]));
    expect(foldedAtFirst({ label: "*", children: Array.from({ length: 9 }, () => leaf("x")) }, 2)).toEqual(new Set());
  });
});

describe("lattices", () => {
  const nodes: LatticeNode[] = [];
  for (const one of [0, 1, 2]) {
    for (const other of [0, 1])
      nodes.push({ levels: [one, other], height: one + other, rows_suppressed: 0, meets: true });
  }

  it("have a row per height, the raw table at the bottom", () => {
    const placed = placeLattice(nodes, 10, 20);
    expect(placed.rows.map((row) => row.height)).toEqual([3, 2, 1, 0]);
    const bottom = placed.nodes.find((one) => one.node.height === 0);
    expect(Math.max(...placed.nodes.map((one) => one.y))).toBe(bottom?.y);
    expect(new Set(placed.nodes.map((one) => `${one.x}/${one.y}`)).size).toBe(6);
  });

  it("join nodes that are one step apart", () => {
    expect(steps(nodes).length).toBe(7);
    expect(steps(nodes)).toContainEqual(["0.0", "1.0"]);
    expect(steps(nodes)).not.toContainEqual(["0.0", "2.0"]);
  });
});

describe("rules of hierarchies", () => {
  it("are written as the command line reads them", () => {
    const written = (key: string, text: string) => RULES.find((rule) => rule.key === key)?.write(text);
    expect(written("interval", "5, 10, 20 @ 17")).toBe("interval:5,10,20@17");
    expect(written("order", "")).toBe("order");
  });

  it("are recognized when they are in use", () => {
    expect(readRule("interval:5,10@0")?.text).toBe("5,10@0");
    expect(readRule("suppress")?.kind.key).toBe("suppress");
    expect(readRule("age.csv")).toBeNull();
  });

  it("refuse what cannot be meant", () => {
    const fits = (key: string, text: string) => RULES.find((rule) => rule.key === key)?.check.test(text);
    expect([
      fits("interval", "5,10@-3"),
      fits("interval", "5;10"),
      fits("mask", "0"),
      fits("date", "month,year"),
    ]).toEqual([true, false, false, true]);
  });
});
