/** Where the nodes of trees and lattices stand. Plain numbers; drawn elsewhere. */

import type { LatticeNode, TreeNode } from "../api/types";

export interface PlacedLabel {
  key: string;
  label: string;
  rows: number | null;
  depth: number;
  y: number;
  parent: string | null;
  /** Hidden children: folded by the reader, or left out by the server. */
  folded: number;
  hasChildren: boolean;
}

export interface PlacedTree {
  labels: PlacedLabel[];
  depth: number;
  height: number;
}

/** Lays a tree out from left to right: leaves below each other, every group at the middle of its children. */
export function placeTree(root: TreeNode, isFolded: (key: string) => boolean): PlacedTree {
  const labels: PlacedLabel[] = [];
  let nextRow = 0;
  let deepest = 0;
  const walk = (node: TreeNode, key: string, depth: number, parent: string | null): number => {
    deepest = Math.max(deepest, depth);
    const children = node.children ?? [];
    const left = node.more ?? 0;
    const isClosed = children.length > 0 && isFolded(key);
    const placed: PlacedLabel = {
      key,
      label: node.label,
      rows: node.rows ?? null,
      depth,
      y: 0,
      parent,
      folded: isClosed ? children.length + left : left,
      hasChildren: children.length > 0,
    };
    labels.push(placed);
    if (children.length === 0 || isClosed) {
      placed.y = nextRow++;
    } else {
      const places = children.map((child, index) => walk(child, `${key}.${index}`, depth + 1, key));
      const first = places[0] ?? 0;
      const last = places[places.length - 1] ?? first;
      placed.y = (first + last) / 2;
    }
    return placed.y;
  };
  walk(root, "0", 0, null);
  return { labels, depth: deepest, height: nextRow };
}

/** Which groups are folded at first: those that would make the drawing longer than a screen or two. */
export function foldedAtFirst(root: TreeNode, mostLeaves: number): Set<string> {
  const folded = new Set<string>();
  const leaves = (node: TreeNode): number =>
    node.children?.length ? node.children.reduce((sum, child) => sum + leaves(child), 0) : 1;
  if (leaves(root) <= mostLeaves) return folded;
  // Breadth first: open groups from the root on for as long as what becomes visible fits.
  const queue: [TreeNode, string][] = [[root, "0"]];
  let shown = 1;
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [node, key] = next;
    const children = node.children ?? [];
    if (children.length === 0) continue;
    if (shown - 1 + children.length > mostLeaves && key !== "0") {
      folded.add(key);
      continue;
    }
    shown += children.length - 1;
    children.forEach((child, index) => {
      queue.push([child, `${key}.${index}`]);
    });
  }
  return folded;
}

export interface PlacedNode {
  node: LatticeNode;
  x: number;
  y: number;
}

export interface PlacedLattice {
  nodes: PlacedNode[];
  width: number;
  height: number;
  rows: { height: number; y: number }[];
}

/** A row per height, the raw table at the bottom; nodes of a row in lattice order, centred. */
export function placeLattice(nodes: LatticeNode[], gapX: number, gapY: number): PlacedLattice {
  const byHeight = new Map<number, LatticeNode[]>();
  for (const node of nodes) {
    const row = byHeight.get(node.height) ?? [];
    row.push(node);
    byHeight.set(node.height, row);
  }
  const heights = [...byHeight.keys()].sort((one, other) => other - one);
  const widest = Math.max(1, ...[...byHeight.values()].map((row) => row.length));
  const width = (widest + 1) * gapX;
  const placed: PlacedNode[] = [];
  const rows = heights.map((height, index) => {
    const y = (index + 0.75) * gapY;
    const row = (byHeight.get(height) ?? []).sort(inLatticeOrder);
    // A row with few nodes is spread out, but not to the edges: neighbours stay near each other.
    const step = Math.min(gapX * 2.5, width / (row.length + 1));
    row.forEach((node, position) => {
      placed.push({ node, x: width / 2 + (position - (row.length - 1) / 2) * step, y });
    });
    return { height, y };
  });
  return { nodes: placed, width, height: (heights.length + 0.5) * gapY, rows };
}

export function inLatticeOrder(one: LatticeNode, other: LatticeNode): number {
  for (let index = 0; index < one.levels.length; index++) {
    const difference = (one.levels[index] ?? 0) - (other.levels[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export const nodeKey = (levels: readonly number[]): string => levels.join(".");

/** Pairs of nodes of which one is a step above the other. */
export function steps(nodes: LatticeNode[]): [string, string][] {
  const known = new Set(nodes.map((node) => nodeKey(node.levels)));
  const pairs: [string, string][] = [];
  for (const node of nodes) {
    node.levels.forEach((level, index) => {
      const above = [...node.levels];
      above[index] = level + 1;
      const key = nodeKey(above);
      if (known.has(key)) pairs.push([nodeKey(node.levels), key]);
    });
  }
  return pairs;
}
