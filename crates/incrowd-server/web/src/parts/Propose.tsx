/** From an offer to a proposal, or to a release. */

import { useSignal } from "@preact/signals";
import { ask } from "../api/client";
import type { Job, OfferKind, Proposal } from "../api/types";
import { answered, sent, wish } from "../state/negotiation";
import { say } from "../state/notices";
import { attempt, follow, go, isCurator, refresh } from "../state/workbench";
import { NoteBox } from "./NoteBox";

/** Approves a proposal of one's own. If that is refused, nothing stays open that nobody asked for. */
async function approveOwn(proposal: Proposal): Promise<void> {
  const path = `/proposals/${proposal.id}`;
  try {
    follow(await ask<Job>(`${path}/approve`, { method: "POST", body: {} }));
  } catch (error) {
    await ask(`${path}/withdraw`, { method: "POST", body: {} });
    throw error;
  }
}

/** The analyst proposes; the curator, who would have to approve, makes the release at once. */
export function Propose({ kind }: { kind: OfferKind }) {
  const isOpen = useSignal(false);
  const note = useSignal("");
  const isSending = useSignal(false);
  const asked = answered.value.value?.wish;
  const isCurrent = asked === wish.value && !answered.value.isAsking;

  const send = async () => {
    if (!asked) return;
    isSending.value = true;
    const isDone = await attempt(async () => {
      const body = { wish: sent(asked), offer: kind, note: note.value };
      const proposal = await ask<Proposal>("/proposals", { method: "POST", body });
      if (isCurator.value) {
        await approveOwn(proposal);
      } else {
        say("Your proposal is sent.", "The curator sees it at once.");
      }
      await refresh();
    });
    isSending.value = false;
    if (!isDone) return;
    isOpen.value = false;
    go("deals");
  };

  if (!isOpen.value) {
    return (
      <button
        type="button"
        class={kind === "exact" ? "" : "secondary"}
        disabled={!isCurrent}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {isCurator.value ? "Make this release…" : "Propose this…"}
      </button>
    );
  }
  return (
    <div class="propose">
      <NoteBox label={isCurator.value ? "Note for the record" : "Note to the curator"} note={note} />
      <button type="button" disabled={isSending.value || !isCurrent} onClick={() => void send()}>
        {isCurator.value ? "Make the release" : "Send the proposal"}
      </button>
      <button
        type="button"
        class="secondary"
        onClick={() => {
          isOpen.value = false;
        }}
      >
        Cancel
      </button>
    </div>
  );
}
