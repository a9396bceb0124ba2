/** Short messages at the edge of the page, read out by screen readers. */

import { signal } from "@preact/signals";

export interface Notice {
  id: number;
  kind: "news" | "error";
  message: string;
  hint: string | null;
}

export const notices = signal<Notice[]>([]);
let last = 0;
const NEWS_LASTS_MS = 9_000;

function add(kind: Notice["kind"], message: string, hint: string | null): void {
  const id = ++last;
  notices.value = [...notices.value.filter((one) => one.message !== message), { id, kind, message, hint }].slice(-4);
  // Errors stay until they are dismissed: they say what to do next.
  if (kind === "news") setTimeout(() => dismiss(id), NEWS_LASTS_MS);
}

export function say(message: string, hint: string | null = null): void {
  add("news", message, hint);
}

export function sayError(error: unknown): void {
  const { message, hint } = error as { message?: unknown; hint?: unknown };
  add("error", typeof message === "string" ? message : String(error), typeof hint === "string" ? hint : null);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((one) => one.id !== id);
}
