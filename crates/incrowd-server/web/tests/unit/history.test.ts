import { describe, expect, it } from "vitest";
import { begin, canRedo, canUndo, current, goTo, move, SAME_MOVEMENT_MS } from "../../src/state/history";

describe("history", () => {
  it("goes back and forth", () => {
    let history = move(begin("a", 0), "b", "parameter", 5_000);
    expect(current(history)).toBe("b");
    history = goTo(history, history.now - 1);
    expect([current(history), canUndo(history), canRedo(history)]).toEqual(["a", false, true]);
    history = goTo(history, history.now + 1);
    expect([current(history), canUndo(history), canRedo(history)]).toEqual(["b", true, false]);
  });

  it("makes one drag of a slider one step", () => {
    let history = begin(5, 0);
    for (let value = 6; value <= 30; value++) history = move(history, value, "parameter", 2_000 + value * 20);
    expect(history.entries.map((entry) => entry.value)).toEqual([5, 30]);
    expect(current(goTo(history, history.now - 1))).toBe(5);
  });

  it("keeps movements apart that differ in control or in time", () => {
    let history = move(begin(0, 0), 1, "parameter", 1_000);
    history = move(history, 2, "budget", 1_010);
    history = move(history, 3, "budget", 1_010 + SAME_MOVEMENT_MS);
    expect(history.entries.map((entry) => entry.value)).toEqual([0, 1, 2, 3]);
  });

  it("forgets what was undone once something new is asked", () => {
    let history = move(move(begin("a", 0), "b", "x", 2_000), "c", "y", 4_000);
    history = move(goTo(history, 1), "d", "z", 6_000);
    expect(history.entries.map((entry) => entry.value)).toEqual(["a", "b", "d"]);
    expect(canRedo(history)).toBe(false);
  });

  it("never merges with the start, and never grows without end", () => {
    let history = begin(-1, 0);
    for (let value = 0; value < 300; value++) history = move(history, value, String(value), value);
    expect(history.entries.length).toBe(100);
    expect(current(history)).toBe(299);
  });
});
