/** Figures of an offer, each with its word: in answers and in deals. */

import type { ComponentChildren } from "preact";
import type { Offer } from "../api/types";
import { count, share } from "../format";
import { server, upTo } from "../state/workbench";
import { Term } from "./Term";

export function Figure({ word, children }: { word: ComponentChildren; children: ComponentChildren }) {
  return (
    <div>
      <dt>{word}</dt>
      {children}
    </div>
  );
}

export function Suppressed({ offer }: { offer: Offer }) {
  const rows = server.value?.table?.rows ?? 0;
  return (
    <Figure word={<Term name="suppression">Suppressed</Term>}>
      <dd>
        {upTo()}
        <b data-figure="rows_suppressed">{count(offer.rows_suppressed)}</b>{" "}
        {offer.rows_suppressed === 1 ? "row" : "rows"}{" "}
        <span class="quiet">({share(offer.share_suppressed ?? offer.rows_suppressed / Math.max(1, rows))})</span>
      </dd>
    </Figure>
  );
}

/** The level of every column; those that go beyond what was asked for stand out. */
export function Levels({ offer, isBeyond }: { offer: Offer; isBeyond?: (index: number) => boolean }) {
  const names = server.value?.quasi_identifiers.map((column) => column.name) ?? [];
  const levels = offer.levels_by_name
    ? Object.entries(offer.levels_by_name)
    : offer.levels.map((level, index): [string, number] => [names[index] ?? "", level]);
  return (
    <Figure word={<Term name="level">Levels</Term>}>
      <dd data-figure="levels" data-levels={offer.levels.join(",")}>
        {levels.map(([name, level], index) => (
          <span key={name} class={`level-tag${isBeyond?.(index) ? " beyond" : ""}`}>
            {name} <b>{level}</b>
          </span>
        ))}
      </dd>
    </Figure>
  );
}
