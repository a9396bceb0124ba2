/** Rows per published value, before and after suppression, for every quasi-identifier. */

import { useSignal } from "@preact/signals";
import type { Bar, Distribution } from "../api/types";
import { count, counted } from "../format";

const FEW = 10;

export function Distributions({ columns }: { columns: Distribution[] }) {
  return (
    <div class="distributions">
      {columns.map((column, index) => (
        <OneColumn key={index} column={column} />
      ))}
    </div>
  );
}

function OneColumn({ column }: { column: Distribution }) {
  const showsAll = useSignal(false);
  const after = new Map(column.after.map((bar) => [bar.label, bar.rows]));
  const labels: Bar[] = column.before.length > 0 ? column.before : column.after;
  const most = Math.max(1, ...labels.map((bar) => bar.rows), ...column.after.map((bar) => bar.rows));
  const shown = showsAll.value ? labels : labels.slice(0, FEW);
  return (
    <div class="distribution">
      <h4>{column.name}</h4>
      <table>
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col" class="bars">
              <span class="sr-only">Picture</span>
            </th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((bar, index) => {
            const rows = after.get(bar.label) ?? 0;
            return (
              <tr key={index}>
                <th scope="row" title={bar.label}>
                  {bar.label}
                </th>
                <td class="bars" aria-hidden="true">
                  <i class="bar before" style={{ width: `${(100 * bar.rows) / most}%` }} />
                  <i class="bar after" style={{ width: `${(100 * rows) / most}%` }} />
                </td>
                <td>{count(bar.rows)}</td>
                <td>{count(rows)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {column.left_out && <p class="quiet">{counted(column.left_out.labels, "other value")} not listed.</p>}
      {labels.length > FEW && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            showsAll.value = !showsAll.value;
          }}
        >
          {showsAll.value ? "Show fewer" : `Show all ${count(labels.length)} values`}
        </button>
      )}
    </div>
  );
}
