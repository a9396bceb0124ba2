/** An error where it happened: what went wrong, and what to do next. */

import type { AskError } from "../api/client";

export function Problem({ error }: { error: Pick<AskError, "message" | "hint"> }) {
  return (
    <div class="problem-box" role="alert">
      <strong>{error.message}</strong>
      {error.hint && <p>{error.hint}</p>}
    </div>
  );
}
