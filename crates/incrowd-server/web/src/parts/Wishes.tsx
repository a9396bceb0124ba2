/** The controls: how much privacy, how many rows, how much detail. */

import type { ServerState } from "../api/types";
import { count, counted, parameter } from "../format";
import { canRedo, canUndo } from "../state/history";
import { writeLink } from "../state/link";
import { outcomes, past, stepTo, wishFor } from "../state/negotiation";
import { say, sayError } from "../state/notices";
import { rangeOf, readBudget, rowsOf, topLevels, type Wish, within, writeBudget } from "../state/wish";
import { go, isCurator } from "../state/workbench";
import { NumberSlider } from "./NumberSlider";
import { Term } from "./Term";

export function Wishes({ wish, state }: { wish: Wish; state: ServerState }) {
  const rows = state.table?.rows ?? 0;
  const range = rangeOf(wish.model, state.models, state.bounds);
  const card = state.models.find((model) => model.name === wish.model);
  const allowed = state.models.filter((model) => state.bounds.models.some((bound) => bound.name === model.name));
  const models = allowed.length === 0 ? state.models : allowed;
  const most = readBudget(state.bounds.max_suppressed) ?? { amount: 100, unit: "%" };
  const mostRows = rowsOf(most, rows);
  const mostShare = most.unit === "%" ? most.amount : Math.max(1, Math.round((100 * mostRows) / Math.max(1, rows)));
  const top = topLevels(state.quasi_identifiers, state.bounds);
  const letter = card?.parameter ?? "parameter";
  const budgetMeaning =
    wish.budget.unit === "%"
      ? `${isCurator.value ? "" : "about "}${counted(rowsOf(wish.budget, rows), "row")}`
      : `of ${count(rows)} rows`;

  return (
    <form class="wishes card" aria-label="Your request" onSubmit={(event) => event.preventDefault()}>
      <div class="wishes-head">
        <h2>Your request</h2>
        <Undo />
      </div>

      <h3>Privacy</h3>
      {models.length > 1 ? (
        <label class="sr-label">
          <Term name="privacy model">Privacy model</Term>
          <select
            aria-label="Privacy model"
            value={wish.model}
            onChange={(event) => {
              const model = event.currentTarget.value;
              const next = rangeOf(model, state.models, state.bounds);
              wishFor({ ...wish, model, parameter: within(wish.parameter, next) }, "model");
            }}
          >
            {models.map((model) => (
              <option key={model.name} value={model.name}>
                {model.name}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <p class="model-name">
          <Term name={wish.model} />
        </p>
      )}
      {isCurator.value && (
        <small class="meaning">
          <button type="button" class="plain" onClick={() => go("bounds")}>
            Other models
          </button>{" "}
          are added to the bounds.
        </small>
      )}
      <NumberSlider
        label={<Term name={letter === "k" || letter === "l" || letter === "t" ? letter : "parameter"}>{letter}</Term>}
        name={`Parameter ${letter}`}
        value={wish.parameter}
        least={range.least}
        most={range.most}
        step={range.step}
        meaning={card?.one_line}
        spoken={`${letter} = ${parameter(wish.parameter)}`}
        onMove={(value) => wishFor({ ...wish, parameter: value }, "parameter")}
      />

      <h3>Rows</h3>
      <NumberSlider
        label={
          <>
            May be <Term name="suppression">suppressed</Term>
          </>
        }
        name="Rows that may be suppressed"
        value={wish.budget.amount}
        least={0}
        most={wish.budget.unit === "%" ? mostShare : mostRows}
        step={wish.budget.unit === "%" ? 0.1 : 1}
        meaning={budgetMeaning}
        spoken={`${writeBudget(wish.budget)}, ${budgetMeaning}`}
        unit={
          <select
            aria-label="Unit of rows that may be suppressed"
            value={wish.budget.unit}
            onChange={(event) => {
              const isShare = event.currentTarget.value === "%";
              const budget = isShare
                ? ({
                    amount: Math.round((1000 * rowsOf(wish.budget, rows)) / Math.max(1, rows)) / 10,
                    unit: "%",
                  } as const)
                : ({ amount: rowsOf(wish.budget, rows), unit: "rows" } as const);
              wishFor({ ...wish, budget }, "unit");
            }}
          >
            <option value="%">%</option>
            <option value="rows">rows</option>
          </select>
        }
        onMove={(amount) => wishFor({ ...wish, budget: { ...wish.budget, amount } }, "budget")}
      />

      <h3>
        Detail: highest <Term name="level">levels</Term>
      </h3>
      {state.quasi_identifiers.map((column, index) => (
        <NumberSlider
          key={column.index}
          label={column.name}
          name={`Highest level of ${column.name}`}
          value={wish.levels[index] ?? 0}
          least={0}
          most={top[index] ?? column.levels}
          step={1}
          meaning={levelMeaning(column.level_names, wish.levels[index] ?? 0, column.levels)}
          spoken={`level ${wish.levels[index] ?? 0}, ${levelMeaning(column.level_names, wish.levels[index] ?? 0, column.levels)}`}
          onMove={(level) => {
            const levels = [...wish.levels];
            levels[index] = level;
            wishFor({ ...wish, levels }, `level-${index}`);
          }}
        />
      ))}

      <label>
        Among releases that meet it, prefer the least
        <select
          aria-label="Metric to minimize"
          value={wish.metric}
          onChange={(event) => wishFor({ ...wish, metric: event.currentTarget.value }, "metric")}
        >
          {(state.metrics.some((metric) => metric.name === wish.metric)
            ? state.metrics
            : [{ name: wish.metric, one_line: "" }, ...state.metrics]
          ).map((metric) => (
            <option key={metric.name} value={metric.name}>
              {metric.name}
            </option>
          ))}
        </select>
        <small class="meaning">{state.metrics.find((metric) => metric.name === wish.metric)?.one_line}</small>
      </label>
      <HistoryList state={state} />
    </form>
  );
}

function levelMeaning(names: string[], level: number, top: number): string {
  if (level === top) return "up to *: may be hidden altogether";
  const name = names[level];
  if (level === 0) return "raw values only";
  return name ? `up to ${name}` : `up to level ${level}`;
}

function Undo() {
  const history = past.value;
  if (!history) return null;
  const copy = () => {
    const entry = history.entries[history.now];
    if (!entry) return;
    const link = `${location.origin}${location.pathname}${writeLink("negotiate", entry.value)}`;
    navigator.clipboard.writeText(link).then(
      () => say("The link is copied.", "It restores this request for anyone who has opened the page with a key."),
      () => sayError({ message: "The link could not be copied.", hint: "Copy it from the address bar instead." }),
    );
  };
  return (
    <span class="undo">
      <button
        type="button"
        class="secondary small"
        aria-label="Undo"
        title="Undo"
        disabled={!canUndo(history)}
        onClick={() => stepTo(history.now - 1)}
      >
        ↶
      </button>
      <button
        type="button"
        class="secondary small"
        aria-label="Redo"
        title="Redo"
        disabled={!canRedo(history)}
        onClick={() => stepTo(history.now + 1)}
      >
        ↷
      </button>
      <button type="button" class="secondary small" onClick={copy}>
        Copy link
      </button>
    </span>
  );
}

function HistoryList({ state }: { state: ServerState }) {
  const history = past.value;
  if (!history || history.entries.length < 2) return null;
  const letterOf = (model: string) => state.models.find((one) => one.name === model)?.parameter ?? model;
  return (
    <details class="history">
      <summary>History ({history.entries.length})</summary>
      <ol reversed>
        {history.entries
          .map((entry, index) => ({ entry, index }))
          .reverse()
          .map(({ entry, index }) => (
            <li key={`${index}-${entry.at}`}>
              <button
                type="button"
                class="plain"
                aria-current={index === history.now ? "step" : undefined}
                onClick={() => stepTo(index)}
              >
                {letterOf(entry.value.model)} = {parameter(entry.value.parameter)}, {writeBudget(entry.value.budget)}
                {entry.value.budget.unit === "rows" ? " rows" : ""}, levels {entry.value.levels.join(" ")}
              </button>
              <small class="quiet"> {outcomes.value.get(writeLink("negotiate", entry.value)) ?? ""}</small>
            </li>
          ))}
      </ol>
    </details>
  );
}
