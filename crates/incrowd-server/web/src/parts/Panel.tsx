/** A titled part of a view that waits for an answer, shows it, or says why there is none. */

import type { ComponentChildren } from "preact";
import type { Heard } from "../state/negotiation";
import { Problem } from "./Problem";

interface Props<T> {
  title: string;
  intro?: ComponentChildren;
  tools?: ComponentChildren;
  heard: Heard<T>;
  isWide?: boolean;
  children: (value: T) => ComponentChildren;
}

export function Panel<T>({ title, intro, tools, heard, isWide, children }: Props<T>) {
  return (
    <section class={`card panel${isWide ? " wide" : ""}`} aria-label={title} aria-busy={heard.isAsking}>
      <h2>{title}</h2>
      {intro && <p class="quiet">{intro}</p>}
      {tools}
      {heard.error && <Problem error={heard.error} />}
      {heard.value !== null && <div class={heard.isAsking ? "stale" : ""}>{children(heard.value)}</div>}
      {heard.value === null && !heard.error && <p class="quiet">…</p>}
    </section>
  );
}
