/** A word with its meaning one keystroke away. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { ask } from "../api/client";
import type { Explained } from "../api/types";
import { OWN_WORDS } from "../words";
import { Prose } from "./Prose";

const GAP = 6;
const known = new Map<string, Promise<string>>();

function meaning(name: string): Promise<string> {
  const own = OWN_WORDS[name];
  if (own) return Promise.resolve(own);
  const earlier = known.get(name);
  if (earlier) return earlier;
  const asked = ask<Explained>(`/explain/${encodeURIComponent(name)}`).then(
    (found) => found.entries[0]?.summary ?? "There is no explanation of this word.",
  );
  known.set(name, asked);
  asked.catch(() => known.delete(name));
  return asked;
}

export function Term({ name, children }: { name: string; children?: ComponentChildren }) {
  const text = useSignal<string | null>(null);
  const isOpen = useSignal(false);
  const id = useId();
  const word = useRef<HTMLButtonElement>(null);
  const bubble = useRef<HTMLSpanElement>(null);

  const open = () => {
    isOpen.value = true;
    if (text.value !== null) return;
    meaning(name).then(
      (found) => {
        text.value = found;
      },
      () => {
        text.value = "The explanation could not be fetched.";
      },
    );
  };
  const close = () => {
    isOpen.value = false;
  };

  // Below the word, or above it near the lower edge; never beyond the left or right edge of a narrow screen.
  useLayoutEffect(() => {
    const element = bubble.current;
    const anchor = word.current?.getBoundingClientRect();
    if (!element || !anchor) return;
    const { clientWidth, clientHeight } = document.documentElement;
    const left = Math.max(GAP, Math.min(anchor.left, clientWidth - element.offsetWidth - GAP));
    const fitsBelow = anchor.bottom + GAP + element.offsetHeight <= clientHeight;
    element.style.left = `${left}px`;
    element.style.top = `${fitsBelow ? anchor.bottom + GAP : anchor.top - GAP - element.offsetHeight}px`;
  });

  return (
    <span class="term">
      <button
        ref={word}
        type="button"
        class="term-word"
        aria-expanded={isOpen.value}
        aria-describedby={isOpen.value ? id : undefined}
        onMouseEnter={open}
        onMouseLeave={close}
        onFocus={open}
        onBlur={close}
        onClick={(event) => {
          event.preventDefault();
          open();
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape") close();
        }}
      >
        {children ?? name}
      </button>
      {isOpen.value && (
        <span ref={bubble} class="term-meaning" role="tooltip" id={id}>
          <Prose text={text.value ?? "…"} />
        </span>
      )}
    </span>
  );
}
