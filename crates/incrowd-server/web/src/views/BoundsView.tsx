/** What the curator accepts: privacy floor and ceiling, rows, levels, and what the analyst may see. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask } from "../api/client";
import type { AnalystSees, Bounds, ModelBounds } from "../api/types";
import { ModelBound } from "../parts/ModelBound";
import { Term } from "../parts/Term";
import { say } from "../state/notices";
import { readBudget } from "../state/wish";
import { attempt, refresh, server } from "../state/workbench";

const SEES: [keyof AnalystSees, string][] = [
  ["metrics", "Metrics of an offer, with two significant digits"],
  ["curve", "The curve of rows suppressed by the promise"],
  ["lattice", "The lattice with rounded counts"],
  ["distributions", "Distributions before and after, without rare values"],
  ["hierarchies", "The hierarchies, without rare values"],
  ["trials", "Trials of other algorithms: rounded figures, nothing of what they make"],
];

export function BoundsView() {
  const state = server.value;
  const saved = state?.bounds;
  const draft = useSignal<Bounds | null>(null);
  const savedText = JSON.stringify(saved);

  // What was saved elsewhere replaces the draft.
  useEffect(() => {
    draft.value = saved ? structuredClone(saved) : null;
  }, [savedText]);

  const bounds = draft.value;
  if (!state || !bounds) return <p aria-busy="true">Reading the bounds…</p>;
  const isBudgetRead = readBudget(bounds.max_suppressed) !== null;
  const isChanged = JSON.stringify(bounds) !== savedText;
  const set = (part: Partial<Bounds>) => {
    draft.value = { ...bounds, ...part };
  };
  const setModel = (index: number, part: Partial<ModelBounds>) => {
    set({ models: bounds.models.map((model, position) => (position === index ? { ...model, ...part } : model)) });
  };
  const unused = state.models.filter((model) => !bounds.models.some((one) => one.name === model.name));
  const save = () =>
    attempt(async () => {
      await ask("/bounds", { method: "PUT", body: bounds });
      await refresh();
      say("The bounds are saved.", "They hold for every question from now on.");
    });

  return (
    <>
      <h1>Bounds</h1>
      <p class="lead">
        What you would accept. Nobody can ask for less privacy than this, and the analyst sees no offer below it.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <fieldset>
          <legend>
            <h2>Privacy</h2>
          </legend>
          <p class="quiet">
            For every <Term name="privacy model" /> that may be negotiated: the weakest promise you accept (
            <Term name="floor" />) and the strongest that may be asked for (<Term name="ceiling" />
            ).
          </p>
          {bounds.models.map((model, index) => (
            <ModelBound
              key={model.name}
              model={model}
              card={state.models.find((one) => one.name === model.name)}
              isLast={bounds.models.length === 1}
              onChange={(part) => setModel(index, part)}
              onRemove={() => set({ models: bounds.models.filter((_, position) => position !== index) })}
            />
          ))}
          {unused.length > 0 && (
            <label class="add-model">
              Add a model
              <select
                value=""
                onChange={(event) => {
                  const card = unused.find((one) => one.name === event.currentTarget.value);
                  if (!card) return;
                  const floor = card.floor ?? (card.stronger === "up" ? 2 : 1);
                  const ceiling = card.ceiling ?? (card.stronger === "up" ? 50 : 0.05);
                  set({ models: [...bounds.models, { name: card.name, floor, ceiling }] });
                }}
              >
                <option value="">Choose…</option>
                {unused.map((card) => (
                  <option key={card.name} value={card.name}>
                    {card.name}
                  </option>
                ))}
              </select>
            </label>
          )}
        </fieldset>
        <fieldset>
          <legend>
            <h2>Rows and levels</h2>
          </legend>
          <label class="narrow">
            Rows that may be suppressed at most, such as <code>500</code> or <code>20%</code>
            <input
              type="text"
              value={String(bounds.max_suppressed)}
              aria-invalid={!isBudgetRead || undefined}
              onInput={(event) => set({ max_suppressed: event.currentTarget.value })}
            />
          </label>
          {!isBudgetRead && <small class="problem">A number of rows, or a share up to 100%.</small>}
          {state.quasi_identifiers.length > 0 && (
            <>
              <p class="quiet">
                The highest <Term name="level" /> that may be asked for, for every quasi-identifier.
              </p>
              <div class="level-bounds">
                {state.quasi_identifiers.map((column, index) => (
                  <label key={column.index}>
                    {column.name}
                    <select
                      value={bounds.max_levels?.[index] ?? column.levels}
                      onChange={(event) => {
                        const levels = state.quasi_identifiers.map((one, at) => bounds.max_levels?.[at] ?? one.levels);
                        levels[index] = Number(event.currentTarget.value);
                        const isTop = levels.every((level, at) => level === state.quasi_identifiers[at]?.levels);
                        set({ max_levels: isTop ? null : levels });
                      }}
                    >
                      {Array.from({ length: column.levels + 1 }, (_, level) => (
                        <option key={level} value={level}>
                          {level}
                          {column.level_names[level] ? ` – ${column.level_names[level]}` : ""}
                        </option>
                      ))}
                    </select>
                  </label>
                ))}
              </div>
            </>
          )}
        </fieldset>
        <fieldset>
          <legend>
            <h2>What the analyst may see</h2>
          </legend>
          <label class="narrow">
            <span>
              <Term name="mask">Round counts</Term> to multiples of
            </span>
            <input
              type="number"
              min={2}
              required
              value={bounds.mask}
              onInput={(event) => set({ mask: event.currentTarget.valueAsNumber })}
            />
          </label>
          {SEES.map(([key, text]) => (
            <label key={key} class="check">
              <input
                type="checkbox"
                checked={bounds.analyst_sees[key]}
                onChange={(event) =>
                  set({ analyst_sees: { ...bounds.analyst_sees, [key]: event.currentTarget.checked } })
                }
              />
              {text}
            </label>
          ))}
          <p class="quiet">The analyst never sees rows, rare values, or anything below your floor.</p>
        </fieldset>
        <div class="actions">
          <button type="submit" disabled={!isChanged || !isBudgetRead}>
            Save the bounds
          </button>
          {isChanged && (
            <button
              type="button"
              class="secondary"
              onClick={() => {
                draft.value = saved ? structuredClone(saved) : null;
              }}
            >
              Discard changes
            </button>
          )}
        </div>
      </form>
    </>
  );
}
