/** A note that goes with a proposal or with the answer to it. */

import type { Signal } from "@preact/signals";

export function NoteBox({ label, note }: { label: string; note: Signal<string> }) {
  return (
    <label>
      {label} (optional)
      <textarea
        rows={2}
        maxLength={2000}
        value={note.value}
        onInput={(event) => {
          note.value = event.currentTarget.value;
        }}
      />
    </label>
  );
}
