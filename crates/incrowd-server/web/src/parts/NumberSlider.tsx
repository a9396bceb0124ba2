/** A slider and a number box that hold the same number. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface Props {
  label: ComponentChildren;
  /** The label as plain text, for screen readers. */
  name: string;
  value: number;
  least: number;
  most: number;
  step: number;
  /** What the number means, such as the name of a level. */
  meaning?: string | undefined;
  /** The number as it is spoken, with its unit. */
  spoken: string;
  unit?: ComponentChildren;
  onMove: (value: number) => void;
}

export function NumberSlider({ label, name, value, least, most, step, meaning, spoken, unit, onMove }: Props) {
  const id = useId();
  // What is being typed is not yet a number that can be asked for.
  const typed = useSignal<string | null>(null);

  const type = (text: string) => {
    typed.value = text;
    const number = Number(text);
    if (text.trim() !== "" && Number.isFinite(number) && number >= least && number <= most) onMove(number);
  };
  const isOutside = typed.value !== null && !(Number(typed.value) >= least && Number(typed.value) <= most);

  return (
    <div class="number-slider">
      <div class="number-slider-head">
        <span id={`${id}-label`}>{label}</span>
        <span class="number-slider-box">
          <input
            type="number"
            aria-label={name}
            min={least}
            max={most}
            step={step === 1 ? 1 : "any"}
            value={typed.value ?? String(value)}
            aria-invalid={isOutside || undefined}
            aria-describedby={isOutside ? `${id}-outside` : undefined}
            onInput={(event) => type(event.currentTarget.value)}
            onBlur={() => {
              typed.value = null;
            }}
          />
          {unit}
        </span>
      </div>
      <input
        type="range"
        aria-label={name}
        aria-valuetext={spoken}
        min={least}
        max={most}
        step={step}
        value={value}
        disabled={least === most}
        onInput={(event) => {
          typed.value = null;
          onMove(Number(event.currentTarget.value));
        }}
      />
      {meaning && <small class="meaning">{meaning}</small>}
      {isOutside && (
        <small class="problem" id={`${id}-outside`}>
          Between {least} and {most}.
        </small>
      )}
    </div>
  );
}
