/** A hierarchy drawn as a tree: `*` at the left, raw values at the right, a column per level. */

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { HierarchyPicture, TreeNode } from "../api/types";
import { count } from "../format";
import { foldedAtFirst, placeTree } from "./layout";

const ROW = 24;
const COLUMN = 190;
const MOST_LEAVES = 40;
const LONGEST_LABEL = 20;

export function Tree({ picture }: { picture: HierarchyPicture }) {
  const root = useMemo(() => rootOf(picture.tree), [picture]);
  const first = useMemo(() => foldedAtFirst(root, MOST_LEAVES), [root]);
  const toggled = useSignal<ReadonlySet<string>>(new Set());
  const isFolded = (key: string) => first.has(key) !== toggled.value.has(key);
  const placed = placeTree(root, isFolded);
  const byKey = new Map(placed.labels.map((one) => [one.key, one]));
  const toggle = (key: string) => {
    const next = new Set(toggled.value);
    if (!next.delete(key)) next.add(key);
    toggled.value = next;
  };
  const width = (placed.depth + 1) * COLUMN;
  const top = picture.levels.length - 1;
  // A group with the same text as the one above it is drawn once, and then a column is no level.
  const isByLevel = placed.labels.every((one) => one.hasChildren || one.folded > 0 || one.depth === top);

  return (
    <div class="tree">
      <section class="tree-scroller" tabIndex={0} aria-label="Hierarchy drawn as a tree">
        <svg
          role="group"
          aria-label="Tree of values"
          style={{ width: `${width}px`, height: `${(placed.height + 1.6) * ROW}px` }}
        >
          <title>Tree of values</title>
          {isByLevel &&
            Array.from({ length: placed.depth + 1 }, (_, depth) => {
              const level = Math.max(0, top - depth);
              const labels = picture.levels.find((one) => one.level === level)?.labels;
              return (
                <text key={depth} class="tree-level" x={depth * COLUMN + 8} y={ROW * 0.7}>
                  {`Level ${level}`}
                  {labels === undefined ? "" : ` · ${count(labels)}`}
                </text>
              );
            })}
          <g class="tree-lines" transform={`translate(0 ${ROW * 1.4})`} aria-hidden="true">
            {placed.labels.map((one) => {
              const parent = one.parent === null ? undefined : byKey.get(one.parent);
              if (!parent) return null;
              const fromX =
                parent.depth * COLUMN +
                8 +
                Math.min(COLUMN - 30, textWidth(parent.label, parent.folded, parent.rows) + 6);
              const toX = one.depth * COLUMN + 4;
              const middle = toX - 12;
              return (
                <path key={one.key} d={`M${fromX} ${(parent.y + 0.5) * ROW}H${middle}V${(one.y + 0.5) * ROW}H${toX}`} />
              );
            })}
          </g>
          <g transform={`translate(0 ${ROW * 1.4})`}>
            {placed.labels.map((one) => {
              const x = one.depth * COLUMN + 8;
              const y = (one.y + 0.5) * ROW + 5;
              const text = shortened(one.label);
              const rows = one.rows === null ? "" : ` ${count(one.rows)}`;
              const hidden = one.folded > 0 ? ` +${count(one.folded)}` : "";
              if (!one.hasChildren) {
                return (
                  <text key={one.key} x={x} y={y}>
                    <title>{one.label}</title>
                    {text}
                    <tspan class="tree-rows">{rows}</tspan>
                    {hidden && <tspan class="tree-more">{hidden} more</tspan>}
                  </text>
                );
              }
              return (
                <text
                  key={one.key}
                  class="tree-group"
                  x={x}
                  y={y}
                  role="button"
                  tabindex={0}
                  aria-expanded={!isFolded(one.key)}
                  aria-label={`${one.label}${one.rows === null ? "" : `, ${count(one.rows)} rows`}`}
                  onClick={() => toggle(one.key)}
                  onKeyDown={(event) => {
                    if (event.key !== "Enter" && event.key !== " ") return;
                    event.preventDefault();
                    toggle(one.key);
                  }}
                >
                  <title>{one.label}</title>
                  {text}
                  <tspan class="tree-rows">{rows}</tspan>
                  {hidden && <tspan class="tree-more">{hidden}</tspan>}
                </text>
              );
            })}
          </g>
        </svg>
      </section>
    </div>
  );
}

/** One root to draw from. Levels may end below `*`; the groups at the top then hang from it all the same. */
function rootOf(tree: TreeNode[]): TreeNode {
  const [only, ...others] = tree;
  return only && others.length === 0 ? only : { label: "*", children: tree };
}

const shortened = (label: string) => (label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL - 1)}…` : label);

function textWidth(label: string, folded: number, rows: number | null): number {
  const extra = (rows === null ? 0 : count(rows).length + 1) + (folded > 0 ? 5 : 0);
  return (shortened(label).length + extra * 0.85) * 7.4;
}
