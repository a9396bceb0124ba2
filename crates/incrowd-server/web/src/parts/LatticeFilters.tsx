/** Which nodes of the lattice are drawn. */

import type { LatticeFilter } from "../api/types";
import { latticeFilter } from "../state/negotiation";

export function LatticeFilters({ rows }: { rows: number }) {
  const filter = latticeFilter.value;
  const set = (key: keyof LatticeFilter, text: string) => {
    const next = { ...filter };
    const number = Number(text);
    if (text.trim() === "" || !Number.isInteger(number) || number < 0) delete next[key];
    else next[key] = number;
    latticeFilter.value = next;
  };
  const box = (key: keyof LatticeFilter, label: string, most?: number) => (
    <label>
      {label}
      <input
        type="number"
        min={0}
        max={most}
        placeholder="all"
        value={filter[key] ?? ""}
        onInput={(event) => set(key, event.currentTarget.value)}
      />
    </label>
  );
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <details class="filters" open={isFiltered || undefined}>
      <summary>Filter{isFiltered ? " (on)" : ""}</summary>
      <div class="filter-boxes">
        {box("min_height", "Height from")}
        {box("max_height", "Height to")}
        {box("at_most_suppressed", "Rows suppressed at most", rows)}
        {isFiltered && (
          <button
            type="button"
            class="secondary small"
            onClick={() => {
              latticeFilter.value = {};
            }}
          >
            Show all
          </button>
        )}
      </div>
    </details>
  );
}
