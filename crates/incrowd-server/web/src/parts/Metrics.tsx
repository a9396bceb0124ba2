/** Every metric of an offer, and how it changed against the last one. */

import { useSignal } from "@preact/signals";
import type { Offer } from "../api/types";
import { change, figure } from "../format";
import { lastOffer } from "../state/negotiation";
import { Term } from "./Term";

const FEW = 8;

export function Metrics({ offer }: { offer: Offer }) {
  const showsAll = useSignal(false);
  const last = lastOffer.value;
  const metrics = Object.entries(offer.metrics ?? {});
  const rules = offer.research_value?.attributes.flatMap((column) =>
    column.rules.map((rule) => ({ ...rule, column: column.name })),
  );
  return (
    <section class="card panel" aria-label="Metrics">
      <h2>
        <Term name="metric">Metrics</Term>
      </h2>
      <p class="quiet">
        What is lost, measured in several ways; less is better. {last ? "The change is against your last request." : ""}
      </p>
      {metrics.length === 0 ? (
        <p class="quiet">The curator does not show metrics.</p>
      ) : (
        <table class="metrics">
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col">Value</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {metrics.slice(0, showsAll.value ? metrics.length : FEW).map(([name, value]) => {
              const before = last?.metrics?.[name];
              const text = before === undefined ? "" : change(value, before);
              return (
                <tr key={name}>
                  <th scope="row">
                    <Term name={name} />
                  </th>
                  <td data-metric={name}>{figure(value)}</td>
                  <td class={text === "" ? "quiet" : text.startsWith("+") ? "worse" : "better"}>
                    {before !== undefined && text === "" ? "same" : text}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {metrics.length > FEW && (
        <button
          type="button"
          class="plain"
          onClick={() => {
            showsAll.value = !showsAll.value;
          }}
        >
          {showsAll.value ? "Show fewer" : `Show all ${metrics.length} metrics`}
        </button>
      )}
      {rules && rules.length > 0 && (
        <>
          <h3>
            <Term name="rule">Expert rules</Term>
          </h3>
          <ul class="rules">
            {rules.map((rule) => (
              <li key={`${rule.column}: ${rule.rule}`} class={rule.kept ? "kept" : "broken"}>
                <strong>{rule.kept ? "✓ kept" : "✗ broken"}</strong> {rule.column}: {rule.rule}
                <span class="quiet"> (importance {figure(rule.importance)})</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
