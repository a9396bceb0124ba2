/** What is said about nodes of the lattice: in the drawing, in the table, and to those who see neither. */

import type { LatticeNode, OfferKind } from "../api/types";
import { counted, share } from "../format";
import { upTo } from "../state/workbench";
import { OFFER_NAMES } from "../words";
import { nodeKey } from "./layout";

export interface Marked {
  limit: number[];
  offers: [OfferKind, number[]][];
}

/** How an offer is called where it is one of several marks. */
export function offerName(kind: OfferKind): string {
  return kind === "exact" ? "the answer" : OFFER_NAMES[kind].toLowerCase();
}

/** The class of its colour. */
export function colourOf(node: LatticeNode, rows: number, budget: number): string {
  if (node.rows_suppressed === 0) return "none";
  if (node.rows_suppressed <= budget) return "within";
  const part = node.rows_suppressed / Math.max(1, rows);
  return part <= 0.1 ? "little" : part <= 0.5 ? "much" : "most";
}

export function markText(node: LatticeNode, marked: Marked): string {
  const key = nodeKey(node.levels);
  const texts = marked.offers.filter(([, levels]) => nodeKey(levels) === key).map(([kind]) => offerName(kind));
  if (nodeKey(marked.limit) === key) texts.push("your limit");
  return texts.join(", ");
}

/** Everything about a node in a sentence. */
export function tell(node: LatticeNode, names: string[], rows: number, marked: Marked): string {
  const levels = node.levels.map((level, index) => `${names[index] ?? ""} ${level}`).join(", ");
  const lost = `${upTo()}${counted(node.rows_suppressed, "row")} suppressed (${share(node.rows_suppressed / Math.max(1, rows))})`;
  const mark = markText(node, marked);
  return `${levels}; height ${node.height}; ${lost}; ${node.meets ? "meets the request" : "does not meet the request"}${mark ? `; ${mark}` : ""}`;
}
