/** A model that may be negotiated: its floor, its ceiling, its other settings. */

import { useSignal } from "@preact/signals";
import type { ModelBounds, ModelCard, Settings } from "../api/types";
import { readSettings, writeSettings } from "../state/wish";
import { Term } from "./Term";

/** Models with no setting beside their parameter. */
const NEED_NOTHING = new Set(["k-anonymity", "k-map"]);

function SettingsBox({
  name,
  settings,
  onChange,
}: {
  name: string;
  settings: Settings;
  onChange: (next: Settings) => void;
}) {
  const typed = useSignal(writeSettings(settings));
  const isRead = readSettings(typed.value) !== null;
  return (
    <label class="settings">
      <span>
        Other settings of <Term name={name} />, such as <code>k=5</code> or <code>column=disease</code>
      </span>
      <input
        type="text"
        aria-label={`Other settings of ${name}`}
        value={typed.value}
        aria-invalid={!isRead || undefined}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          const read = readSettings(typed.value);
          if (read) onChange(read);
        }}
      />
    </label>
  );
}

function End({
  name,
  card,
  value,
  onChange,
}: {
  name: string;
  card: ModelCard | undefined;
  value: number;
  onChange: (value: number) => void;
}) {
  return (
    <label>
      {name}: {card?.parameter ?? "parameter"}
      <input
        type="number"
        step={card?.whole === false ? "any" : 1}
        required
        value={value}
        onInput={(event) => onChange(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}

interface Props {
  model: ModelBounds;
  card: ModelCard | undefined;
  /** The last one stays. */
  isLast: boolean;
  onChange: (part: Partial<ModelBounds>) => void;
  onRemove: () => void;
}

export function ModelBound({ model, card, isLast, onChange, onRemove }: Props) {
  return (
    <div class="bound">
      <span class="bound-name">
        <Term name={model.name} />
        <small class="quiet">{card?.one_line}</small>
      </span>
      <End name="Floor" card={card} value={model.floor} onChange={(floor) => onChange({ floor })} />
      <End name="Ceiling" card={card} value={model.ceiling} onChange={(ceiling) => onChange({ ceiling })} />
      {!NEED_NOTHING.has(model.name) && (
        <SettingsBox
          name={model.name}
          settings={model.settings ?? {}}
          onChange={(settings) => onChange({ settings })}
        />
      )}
      <button
        type="button"
        class="secondary small"
        disabled={isLast}
        aria-label={`Remove ${model.name}`}
        onClick={onRemove}
      >
        Remove
      </button>
    </div>
  );
}
