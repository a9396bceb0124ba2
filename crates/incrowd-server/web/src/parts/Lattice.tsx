/** The lattice as a picture that can be walked with the arrow keys, and as a table. */

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { LatticePicture, OfferKind } from "../api/types";
import { count, counted } from "../format";
import { OFFER_MARKS } from "../words";
import { LatticeTable } from "./LatticeTable";
import { nodeKey, type PlacedNode, placeLattice, steps } from "./layout";
import { colourOf, type Marked, offerName, tell } from "./nodes";
import { Term } from "./Term";

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
        <Zoom at={zoom} />
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
      <Legend kinds={marked.offers.map(([kind]) => kind)} />
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

function Zoom({ at }: { at: Signal<number> }) {
  const button = (name: string, sign: string, by: number) => (
    <button
      type="button"
      class="secondary small"
      aria-label={name}
      disabled={ZOOMS[at.value + by] === undefined}
      onClick={() => {
        at.value += by;
      }}
    >
      {sign}
    </button>
  );
  return (
    <span class="zoom">
      {button("Zoom out", "−", -1)}
      <span class="quiet" aria-live="polite">
        {Math.round((ZOOMS[at.value] ?? 1) * 100)} %
      </span>
      {button("Zoom in", "+", 1)}
    </span>
  );
}

const COLOURS: [string, string][] = [
  ["none", "no row suppressed"],
  ["within", "within the budget"],
  ["little", "over it, up to 10 % of rows"],
  ["much", "up to half"],
  ["most", "more than half"],
];

function Legend({ kinds }: { kinds: OfferKind[] }) {
  return (
    <div class="lattice-legend quiet">
      {COLOURS.map(([colour, meaning]) => (
        <span key={colour}>
          <i class={`key ${colour}`} /> {meaning}
        </span>
      ))}
      <span>
        <i class="key limit" /> <Term name="limit">your limit</Term>
      </span>
      {kinds.map((kind) => (
        <span key={kind}>
          <b>{OFFER_MARKS[kind]}</b> {offerName(kind)}
        </span>
      ))}
    </div>
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
