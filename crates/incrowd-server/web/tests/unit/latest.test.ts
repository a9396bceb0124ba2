import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Latest } from "../../src/state/latest";

interface Open {
  question: string;
  signal: AbortSignal;
  answer: (text: string) => void;
  fail: (error: Error) => void;
}

function setUp() {
  const open: Open[] = [];
  const heard: string[] = [];
  const failed: string[] = [];
  const latest = new Latest<string, string>(
    (question, signal) =>
      new Promise((answer, fail) => {
        open.push({ question, signal, answer, fail });
      }),
    (answer) => heard.push(answer),
    (error) => failed.push(String(error)),
    50,
  );
  return { open, heard, failed, latest };
}

describe("asking about the latest only", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("makes one question of movements that follow each other quickly", async () => {
    const { open, latest } = setUp();
    for (const question of ["a", "b", "c"]) {
      latest.ask(question);
      await vi.advanceTimersByTimeAsync(20);
    }
    await vi.advanceTimersByTimeAsync(50);
    expect(open.map((one) => one.question)).toEqual(["c"]);
  });

  it("drops an answer that was overtaken, in whatever order answers come", async () => {
    const { open, heard, latest } = setUp();
    latest.ask("old");
    await vi.advanceTimersByTimeAsync(60);
    latest.ask("new");
    await vi.advanceTimersByTimeAsync(60);
    expect(open[0]?.signal.aborted).toBe(true);
    open[1]?.answer("answer to new");
    open[0]?.answer("answer to old");
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toEqual(["answer to new"]);
  });

  it("does not report the failure of a question that was overtaken", async () => {
    const { open, failed, latest } = setUp();
    latest.ask("old");
    await vi.advanceTimersByTimeAsync(60);
    latest.ask("new");
    open[0]?.fail(new Error("aborted"));
    await vi.advanceTimersByTimeAsync(60);
    open[1]?.fail(new Error("refused"));
    await vi.advanceTimersByTimeAsync(0);
    expect(failed).toEqual(["Error: refused"]);
  });

  it("hears nothing after it was cancelled", async () => {
    const { open, heard, latest } = setUp();
    latest.ask("a");
    await vi.advanceTimersByTimeAsync(60);
    latest.cancel();
    open[0]?.answer("late");
    await vi.advanceTimersByTimeAsync(0);
    expect(heard).toEqual([]);
  });
});
