/** What was asked before, so that it can be undone, redone and looked up. */

export interface Entry<T> {
  value: T;
  /** What moved; two movements of the same control shortly after each other are one entry. */
  moved: string;
  at: number;
}

export interface History<T> {
  entries: readonly Entry<T>[];
  /** The entry that is shown. */
  now: number;
}

/** A drag of a slider is one step back, not fifty. */
export const SAME_MOVEMENT_MS = 900;
const MOST_ENTRIES = 100;

export function begin<T>(value: T, at: number): History<T> {
  return { entries: [{ value, moved: "start", at }], now: 0 };
}

export function move<T>(history: History<T>, value: T, moved: string, at: number): History<T> {
  const kept = history.entries.slice(0, history.now + 1);
  const last = kept[kept.length - 1];
  const isSameMovement =
    last !== undefined && last.moved === moved && at - last.at < SAME_MOVEMENT_MS && kept.length > 1;
  if (isSameMovement) kept.pop();
  kept.push({ value, moved, at });
  const dropped = Math.max(0, kept.length - MOST_ENTRIES);
  return { entries: kept.slice(dropped), now: kept.length - dropped - 1 };
}

export function goTo<T>(history: History<T>, index: number): History<T> {
  const now = Math.min(history.entries.length - 1, Math.max(0, index));
  return { ...history, now };
}

export const canUndo = <T>(history: History<T>): boolean => history.now > 0;
export const canRedo = <T>(history: History<T>): boolean => history.now < history.entries.length - 1;

export function current<T>(history: History<T>): T {
  const entry = history.entries[history.now];
  if (!entry) throw new Error("a history is never empty");
  return entry.value;
}
