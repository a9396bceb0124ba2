/** A word with its meaning one keystroke away. */

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { ask } from "../api/client";
import type { Explained } from "../api/types";
import { OWN_WORDS } from "../words";

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

  // Near the right edge of a narrow screen the bubble would hang out of the page.
  useLayoutEffect(() => {
    const element = bubble.current;
    if (!element) return;
    element.style.translate = "0";
    const { left, right } = element.getBoundingClientRect();
    const width = document.documentElement.clientWidth;
    if (right > width - 8) element.style.translate = `${Math.max(8 - left, width - 8 - right)}px`;
  });

  return (
    <span class="term">
      <button
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
          {text.value ?? "…"}
        </span>
      )}
    </span>
  );
}
