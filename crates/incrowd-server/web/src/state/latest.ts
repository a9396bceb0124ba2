/**
 * Asks about the latest state only. Movements that follow each other within `delay` become one question; a question
 * that is overtaken is aborted, and if its answer comes nevertheless, nobody hears of it.
 */
export class Latest<Q, A> {
  private number = 0;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private abort: AbortController | null = null;

  constructor(
    private readonly asks: (question: Q, signal: AbortSignal) => Promise<A>,
    private readonly hears: (answer: A, question: Q) => void,
    private readonly fails: (error: unknown, question: Q) => void,
    private readonly delay: number,
  ) {}

  ask(question: Q): void {
    this.cancel();
    const mine = ++this.number;
    this.timer = setTimeout(() => {
      this.timer = null;
      const abort = new AbortController();
      this.abort = abort;
      this.asks(question, abort.signal).then(
        (answer) => {
          if (mine === this.number) this.hears(answer, question);
        },
        (error: unknown) => {
          if (mine === this.number) this.fails(error, question);
        },
      );
    }, this.delay);
  }

  /** Forgets what is being asked. */
  cancel(): void {
    this.number++;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.abort?.abort();
    this.abort = null;
  }
}
