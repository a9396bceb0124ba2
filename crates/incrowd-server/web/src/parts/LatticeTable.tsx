/** The nodes of the lattice as a table. */

import { useSignal } from "@preact/signals";
import type { LatticePicture } from "../api/types";
import { count, share } from "../format";
import { upTo } from "../state/workbench";
import { nodeKey } from "./layout";
import { type Marked, markText } from "./nodes";

const MOST_TABLE_ROWS = 200;

export function LatticeTable({ picture, rows, marked }: { picture: LatticePicture; rows: number; marked: Marked }) {
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
