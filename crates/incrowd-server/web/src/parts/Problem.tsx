/** An error where it happened: what went wrong, and what to do next. */

import type { AskError } from "../api/client";
import { Prose } from "./Prose";

export function Problem({ error }: { error: Pick<AskError, "message" | "hint"> }) {
  return (
    <div class="problem-box" role="alert">
      <strong>
        <Prose text={error.message} />
      </strong>
      {error.hint && (
        <p>
          <Prose text={error.hint} />
        </p>
      )}
    </div>
  );
}
