/** Proposals, and what became of them. */

import { useSignal } from "@preact/signals";
import { ask, download } from "../api/client";
import type { Deal, Job, Offer, Proposal, ProposalState, WishBody } from "../api/types";
import { moment, parameter } from "../format";
import { NoteBox } from "../parts/NoteBox";
import { Figure, Levels, Suppressed } from "../parts/OfferFigures";
import { Term } from "../parts/Term";
import { say } from "../state/notices";
import { activeJobs, attempt, follow, go, isCurator, refresh, role, server } from "../state/workbench";

const STATE_NAMES: Record<ProposalState, string> = {
  open: "Waiting for the curator",
  approving: "The release is being made",
  approved: "Approved",
  refused: "Refused",
  withdrawn: "Withdrawn",
};

export function DealsView() {
  const state = server.value;
  if (!state) return <p aria-busy="true">Reading…</p>;
  const isLive = (proposal: Proposal) => proposal.state === "open" || proposal.state === "approving";
  const live = state.proposals.filter(isLive).reverse();
  const answered = state.proposals.filter((proposal) => !isLive(proposal)).reverse();
  const deals = [...state.deals].reverse();
  return (
    <>
      <h1>Deals</h1>
      <p class="lead">
        {isCurator.value
          ? "The analyst proposes a release; you approve or refuse it. Approving makes the release, checks it, and certifies it."
          : "What you proposed, and what the curator said. Approved releases can be downloaded."}
      </p>
      <section aria-label="Open proposals">
        <h2>Open proposals</h2>
        {live.length === 0 && (
          <p class="quiet">
            There are none.{" "}
            <button type="button" class="plain" onClick={() => go("negotiate")}>
              Go to the negotiation
            </button>
          </p>
        )}
        {live.map((proposal) => (
          <ProposalCard key={proposal.id} proposal={proposal} />
        ))}
      </section>
      <section aria-label="Releases">
        <h2>Releases</h2>
        {deals.length === 0 && <p class="quiet">There are none yet.</p>}
        {deals.map((deal) => (
          <DealCard key={deal.id} deal={deal} proposal={state.proposals.find((one) => one.id === deal.proposal)} />
        ))}
      </section>
      {answered.length > 0 && (
        <section aria-label="Answered proposals">
          <h2>Answered proposals</h2>
          {answered.map((proposal) => (
            <ProposalCard key={proposal.id} proposal={proposal} />
          ))}
        </section>
      )}
    </>
  );
}

function ProposalCard({ proposal }: { proposal: Proposal }) {
  const note = useSignal("");
  const path = `/proposals/${proposal.id}`;
  const isOpen = proposal.state === "open";
  const approve = () =>
    attempt(async () => {
      follow(await ask<Job>(`${path}/approve`, { method: "POST", body: note.value ? { note: note.value } : {} }));
      await refresh();
    });
  const refuse = () =>
    attempt(async () => {
      await ask(`${path}/refuse`, { method: "POST", body: note.value ? { note: note.value } : {} });
      await refresh();
      say("The proposal is refused.");
    });
  const withdraw = () =>
    attempt(async () => {
      await ask(`${path}/withdraw`, { method: "POST", body: {} });
      await refresh();
    });

  return (
    <article class={`card proposal ${proposal.state}`} aria-label={`Proposal ${proposal.id}`}>
      <header>
        <h3>
          Proposal {proposal.id}{" "}
          <span class="quiet">
            by the {proposal.by}, {moment(proposal.time)}
          </span>
        </h3>
        <span class={`state ${proposal.state}`}>{STATE_NAMES[proposal.state]}</span>
      </header>
      <Terms wish={proposal.wish} offer={proposal.offer} />
      {proposal.note && <Quote by={proposal.by} text={proposal.note} />}
      {proposal.answer_note && <Quote by="curator" text={proposal.answer_note} />}
      {isOpen && isCurator.value && (
        <>
          <NoteBox label="Note to the analyst" note={note} />
          <div class="actions">
            <button type="button" disabled={activeJobs.value.length > 0} onClick={() => void approve()}>
              Approve
            </button>
            <button type="button" class="secondary" onClick={() => void refuse()}>
              Refuse
            </button>
          </div>
        </>
      )}
      {isOpen && proposal.by === role.value && !isCurator.value && (
        <div class="actions">
          <button type="button" class="secondary" onClick={() => void withdraw()}>
            Withdraw
          </button>
        </div>
      )}
    </article>
  );
}

function Quote({ by, text }: { by: string; text: string }) {
  return (
    <blockquote>
      {text}
      <footer>the {by}</footer>
    </blockquote>
  );
}

function Terms({ wish, offer }: { wish: WishBody; offer: Offer }) {
  const letter = server.value?.models.find((one) => one.name === wish.model)?.parameter ?? "parameter";
  return (
    <dl class="terms">
      <Figure word="Promise">
        <dd>{offer.model}</dd>
      </Figure>
      <Suppressed offer={offer} />
      <Levels offer={offer} />
      <Figure word="Asked for">
        <dd class="quiet">
          {wish.model} with {letter} = {parameter(wish.parameter)}, at most {String(wish.max_suppressed)}
          {String(wish.max_suppressed).endsWith("%") ? "" : " rows"} suppressed
        </dd>
      </Figure>
    </dl>
  );
}

const FILES: [string, string, string][] = [
  ["release", "Release", "release.csv"],
  ["certificate", "Certificate", "certificate.json"],
  ["report", "Report", "report.html"],
  ["job", "Job file", "job.toml"],
];

function DealCard({ deal, proposal }: { deal: Deal; proposal: Proposal | undefined }) {
  const id = deal.id;
  return (
    <article class="card deal" aria-label={`Release ${deal.id}`}>
      <h3>Release {deal.id}</h3>
      <p>
        {!proposal && <strong>{deal.model} </strong>}
        <span class="quiet">
          {deal.table}, {moment(deal.time)}
        </span>
      </p>
      {proposal && <Terms wish={proposal.wish} offer={proposal.offer} />}
      {deal.note && <Quote by="curator" text={deal.note} />}
      <div class="actions">
        {FILES.map(([file, name, fallback]) => (
          <button
            key={file}
            type="button"
            class={file === "release" ? "" : "secondary"}
            onClick={() => void attempt(() => download(`/deals/${id}/${file}`, fallback))}
          >
            Download the {name.toLowerCase()}
          </button>
        ))}
      </div>
      <p class="quiet">
        The <Term name="certificate" /> states what was promised and reached; the <Term name="job" /> file repeats the
        release byte for byte.
      </p>
    </article>
  );
}
