/** The lattice as a picture that can be walked with the arrow keys, and as a table. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { LatticeNode, LatticePicture, OfferKind } from "../api/types";
import { count, counted, share } from "../format";
import { upTo } from "../state/workbench";
import { OFFER_MARKS, OFFER_NAMES } from "../words";
import { nodeKey, type PlacedNode, placeLattice, steps } from "./layout";
import { Term } from "./Term";

export interface Marked {
  limit: number[];
  offers: [OfferKind, number[]][];
}

interface Props {
  picture: LatticePicture;
  rows: number;
  budget: number;
  marked: Marked;
  onLimit: (levels: number[]) => void;
}

const MOST_STEPS_DRAWN = 1500;
const ROOMY = 150;
const DENSE = 600;
const ZOOMS = [0.5, 0.75, 1, 1.5, 2, 3];
/** About as wide as the frame on a usual screen; a drawing that is wider begins smaller. */
const FRAME = 900;

export function Lattice({ picture, rows, budget, marked, onLimit }: Props) {
  const number = picture.nodes.length;
  const [gapX, gapY, radius] = number <= ROOMY ? [38, 52, 8] : number <= DENSE ? [20, 42, 6] : [14, 40, 5];
  const placed = useMemo(() => placeLattice(picture.nodes, gapX, gapY), [picture, gapX, gapY]);
  const byKey = useMemo(() => new Map(placed.nodes.map((one) => [nodeKey(one.node.levels), one])), [placed]);
  const lines = useMemo(() => {
    const pairs = steps(picture.nodes);
    return pairs.length <= MOST_STEPS_DRAWN ? pairs : [];
  }, [picture]);
  const zoom = useSignal(placed.width <= FRAME * 1.2 ? 2 : placed.width <= FRAME * 1.5 ? 1 : 0);
  const looked = useSignal<string | null>(null);
  const drawing = useRef<SVGSVGElement>(null);
  const scroller = useRef<HTMLDivElement>(null);

  const marks = new Map<string, string[]>();
  const mark = (levels: number[], text: string) => {
    const key = nodeKey(levels);
    marks.set(key, [...(marks.get(key) ?? []), text]);
  };
  for (const [kind, levels] of marked.offers) mark(levels, OFFER_MARKS[kind]);
  const limitKey = nodeKey(marked.limit);
  const answerKey = marked.offers[0] ? nodeKey(marked.offers[0][1]) : limitKey;
  const focusKey =
    [looked.value, answerKey, limitKey].find((key) => key !== null && byKey.has(key)) ?? firstKey(placed.nodes);
  const scale = ZOOMS[zoom.value] ?? 1;

  // What was asked for should be in view, also when the drawing is wider than its frame.
  useEffect(() => {
    const frame = scroller.current;
    const at = byKey.get(answerKey);
    if (!frame || !at) return;
    frame.scrollLeft = at.x * scale - frame.clientWidth / 2;
    frame.scrollTop = at.y * scale - frame.clientHeight / 2;
  }, [answerKey, byKey, scale]);

  const onKeyDown = (event: KeyboardEvent) => {
    const here = focusKey ? byKey.get(focusKey) : undefined;
    if (!here) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      looked.value = nodeKey(here.node.levels);
      return;
    }
    const next = neighbour(placed.nodes, here, event.key);
    if (!next) return;
    event.preventDefault();
    const key = nodeKey(next.node.levels);
    looked.value = key;
    drawing.current?.querySelector<SVGGElement>(`[data-node="${key}"]`)?.focus();
  };

  const names = picture.attributes.map((attribute) => attribute.name);
  const shownNode = looked.value ? byKey.get(looked.value)?.node : undefined;

  return (
    <div class="lattice">
      <div class="lattice-tools">
        <span class="quiet">
          {picture.shown < Number(picture.nodes_total)
            ? `${count(picture.shown)} of ${count(picture.nodes_total)} nodes shown`
            : counted(picture.shown, "node")}
        </span>
        <span class="zoom">
          <button
            type="button"
            class="secondary small"
            aria-label="Zoom out"
            disabled={zoom.value === 0}
            onClick={() => {
              zoom.value--;
            }}
          >
            −
          </button>
          <span class="quiet" aria-live="polite">
            {Math.round(scale * 100)} %
          </span>
          <button
            type="button"
            class="secondary small"
            aria-label="Zoom in"
            disabled={zoom.value === ZOOMS.length - 1}
            onClick={() => {
              zoom.value++;
            }}
          >
            +
          </button>
        </span>
      </div>
      <section class="lattice-scroller" ref={scroller} tabIndex={0} aria-label="Drawing of the lattice">
        <svg
          ref={drawing}
          role="group"
          aria-label="Nodes of the lattice. Arrow keys move between them."
          style={{ width: `${placed.width * scale}px`, height: `${placed.height * scale}px` }}
          viewBox={`0 0 ${placed.width} ${placed.height}`}
          onKeyDown={onKeyDown}
        >
          <g class="lattice-lines" aria-hidden="true">
            {lines.map(([low, high]) => {
              const from = byKey.get(low);
              const to = byKey.get(high);
              if (!from || !to) return null;
              const isNear = focusKey === low || focusKey === high;
              return (
                <line key={`${low}-${high}`} class={isNear ? "near" : ""} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
              );
            })}
          </g>
          {placed.nodes.map(({ node, x, y }) => {
            const key = nodeKey(node.levels);
            const texts = marks.get(key);
            return (
              <g
                key={key}
                data-node={key}
                role="button"
                tabindex={key === focusKey ? 0 : -1}
                aria-label={tell(node, names, rows, marked)}
                aria-pressed={key === looked.value}
                class={`lattice-node ${colourOf(node, rows, budget)}${key === looked.value ? " looked" : ""}${texts ? " marked" : ""}`}
                transform={`translate(${x} ${y})`}
                onClick={() => {
                  looked.value = key;
                }}
              >
                {key === limitKey && (
                  <rect class="limit" x={-radius * 1.9} y={-radius * 1.9} width={radius * 3.8} height={radius * 3.8} />
                )}
                <circle class="dot" r={texts ? radius * 1.45 : radius} />
                {texts && (
                  <text class="mark" y={radius * 0.62} font-size={radius * (texts.length > 1 ? 1.3 : 1.75)}>
                    {texts.join("")}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
      </section>
      <div class="lattice-legend quiet">
        <span>
          <i class="key none" /> no row suppressed
        </span>
        <span>
          <i class="key within" /> within the budget
        </span>
        <span>
          <i class="key little" /> over it, up to 10 % of rows
        </span>
        <span>
          <i class="key much" /> up to half
        </span>
        <span>
          <i class="key most" /> more than half
        </span>
        <span>
          <i class="key limit" /> <Term name="limit">your limit</Term>
        </span>
        {marked.offers.map(([kind]) => (
          <span key={kind}>
            <b>{OFFER_MARKS[kind]}</b> {kind === "exact" ? "the answer" : OFFER_NAMES[kind].toLowerCase()}
          </span>
        ))}
      </div>
      <div class="lattice-looked" aria-live="polite">
        {shownNode ? (
          <>
            <p>{tell(shownNode, names, rows, marked)}.</p>
            <button type="button" class="secondary small" onClick={() => onLimit(shownNode.levels)}>
              Use these as the highest levels
            </button>
          </>
        ) : (
          <p class="quiet">Select a node to read what it costs. The raw table is at the bottom.</p>
        )}
      </div>
      <LatticeTable picture={picture} rows={rows} marked={marked} />
    </div>
  );
}

const MOST_TABLE_ROWS = 200;

function LatticeTable({ picture, rows, marked }: { picture: LatticePicture; rows: number; marked: Marked }) {
  const isOpen = useSignal(false);
  const nodes = isOpen.value
    ? [...picture.nodes].sort((one, other) => one.height - other.height || one.rows_suppressed - other.rows_suppressed)
    : [];
  return (
    <details
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>Show as a table</summary>
      {isOpen.value && (
        <section class="scrolls limited" tabIndex={0} aria-label="Nodes of the lattice as a table">
          <table>
            <caption>Nodes by height; those that suppress fewest rows first.</caption>
            <thead>
              <tr>
                <th scope="col">Height</th>
                {picture.attributes.map((attribute, index) => (
                  <th scope="col" key={index}>
                    {attribute.name}
                  </th>
                ))}
                <th scope="col">Rows suppressed</th>
                <th scope="col">Meets the request</th>
                <th scope="col">Mark</th>
              </tr>
            </thead>
            <tbody>
              {nodes.slice(0, MOST_TABLE_ROWS).map((node) => (
                <tr key={nodeKey(node.levels)}>
                  <td>{node.height}</td>
                  {node.levels.map((level, index) => (
                    <td key={index}>{level}</td>
                  ))}
                  <td>
                    {upTo()}
                    {count(node.rows_suppressed)} ({share(node.rows_suppressed / Math.max(1, rows))})
                  </td>
                  <td>{node.meets ? "yes" : "no"}</td>
                  <td>{markText(node, marked)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {nodes.length > MOST_TABLE_ROWS && (
            <p class="quiet">
              The first {MOST_TABLE_ROWS} of {count(nodes.length)}; filter to see others.
            </p>
          )}
        </section>
      )}
    </details>
  );
}

function firstKey(nodes: PlacedNode[]): string | null {
  const last = nodes[nodes.length - 1];
  return last ? nodeKey(last.node.levels) : null;
}

/** Left and right along a row; up and down to the nearest node of the next row. */
function neighbour(nodes: PlacedNode[], here: PlacedNode, key: string): PlacedNode | null {
  const nearest = (list: PlacedNode[]) =>
    list.reduce<PlacedNode | null>(
      (best, one) => (best && Math.abs(best.x - here.x) <= Math.abs(one.x - here.x) ? best : one),
      null,
    );
  const others = nodes.filter((one) => one !== here);
  const inRow = others.filter((one) => one.y === here.y);
  switch (key) {
    case "ArrowLeft":
      return nearest(inRow.filter((one) => one.x < here.x));
    case "ArrowRight":
      return nearest(inRow.filter((one) => one.x > here.x));
    case "ArrowUp":
    case "ArrowDown": {
      const beyond = others.filter((one) => (key === "ArrowUp" ? one.y < here.y : one.y > here.y));
      const gap = Math.min(...beyond.map((one) => Math.abs(one.y - here.y)));
      return nearest(beyond.filter((one) => Math.abs(one.y - here.y) === gap));
    }
    default:
      return null;
  }
}

function colourOf(node: LatticeNode, rows: number, budget: number): string {
  if (node.rows_suppressed === 0) return "none";
  if (node.rows_suppressed <= budget) return "within";
  const part = node.rows_suppressed / Math.max(1, rows);
  return part <= 0.1 ? "little" : part <= 0.5 ? "much" : "most";
}

function markText(node: LatticeNode, marked: Marked): string {
  const key = nodeKey(node.levels);
  const texts = marked.offers
    .filter(([, levels]) => nodeKey(levels) === key)
    .map(([kind]) => (kind === "exact" ? "the answer" : OFFER_NAMES[kind].toLowerCase()));
  if (nodeKey(marked.limit) === key) texts.push("your limit");
  return texts.join(", ");
}

function tell(node: LatticeNode, names: string[], rows: number, marked: Marked): string {
  const levels = node.levels.map((level, index) => `${names[index] ?? ""} ${level}`).join(", ");
  const lost = `${upTo()}${counted(node.rows_suppressed, "row")} suppressed (${share(node.rows_suppressed / Math.max(1, rows))})`;
  const mark = markText(node, marked);
  return `${levels}; height ${node.height}; ${lost}; ${node.meets ? "meets the request" : "does not meet the request"}${mark ? `; ${mark}` : ""}`;
}
