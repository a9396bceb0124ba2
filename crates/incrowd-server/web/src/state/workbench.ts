/** What the server knows, kept up to date: one signal per question, one loop that listens for changes. */

import { batch, computed, signal } from "@preact/signals";
import { AskError, ask, setToken } from "../api/client";
import { takeToken } from "../api/token";
import type { Job, Role, ServerState, Session } from "../api/types";
import { readLink, type View } from "./link";
import { say, sayError } from "./notices";

export type Connection = "connecting" | "open" | "lost" | "refused" | "no-token";

export const connection = signal<Connection>("connecting");
export const session = signal<Session | null>(null);
export const server = signal<ServerState | null>(null);
export const view = signal<View | null>(null);

export const role = computed<Role | null>(() => session.value?.role ?? null);
export const isCurator = computed(() => role.value === "curator");
export const activeJobs = computed<Job[]>(() => (server.value?.jobs ?? []).filter(isActive));
export const openProposals = computed(() => (server.value?.proposals ?? []).filter((one) => one.state === "open"));

export function isActive(job: Job): boolean {
  return job.state === "queued" || job.state === "running";
}

/** Whether the person at this page may look at something that the curator can hide from the analyst. */
export function sees(what: "lattice" | "curve" | "distributions" | "metrics" | "hierarchies" | "trials"): boolean {
  return isCurator.value || session.value?.sees[what] === true;
}

/** The analyst hears numbers of suppressed rows in steps: so many at most. */
export function upTo(): string {
  return isCurator.value ? "" : "up to ";
}

export function go(to: View): void {
  if (view.value === to) return;
  view.value = to;
  history.pushState(null, "", `#/${to}`);
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
const JOB_POLL_MS = 300;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Connects, and keeps listening and reconnecting for as long as the page is open. */
export async function start(): Promise<void> {
  const token = takeToken();
  if (!token) {
    connection.value = "no-token";
    return;
  }
  setToken(token);
  let wait = FIRST_WAIT_MS;
  for (;;) {
    try {
      await refresh();
      connection.value = "open";
      wait = FIRST_WAIT_MS;
      await listen();
    } catch (error) {
      if (error instanceof AskError && (error.status === 401 || error.status === 403)) {
        connection.value = "refused";
        return;
      }
      connection.value = server.value ? "lost" : "connecting";
      await sleep(wait);
      wait = Math.min(LONGEST_WAIT_MS, wait * 2);
    }
  }
}

async function listen(): Promise<void> {
  for (;;) {
    const known = server.value?.revision ?? 0;
    const heard = await ask<{ revision: number }>(`/changes?after=${known}`);
    if (heard.revision !== known) await refresh();
  }
}

let isPolling = false;

/** Reads everything again, and tells what others did in the meantime. */
export async function refresh(): Promise<void> {
  const [who, state] = await Promise.all([ask<Session>("/session"), ask<ServerState>("/state")]);
  const before = server.value;
  batch(() => {
    session.value = who;
    server.value = state;
  });
  if (view.value === null) view.value = allowedView(readLink(location.hash).view) ?? firstView(who.role, state);
  if (before) tellChanges(before, state, who.role);
  if (activeJobs.value.length > 0) void pollJobs();
}

/** Progress is no change that others should see, so it is asked for while something is under way. */
async function pollJobs(): Promise<void> {
  if (isPolling) return;
  isPolling = true;
  try {
    while (activeJobs.value.length > 0) {
      await sleep(JOB_POLL_MS);
      const state = server.value;
      if (!state) break;
      const found = await ask<Job[] | { jobs: Job[] }>("/jobs");
      const jobs = Array.isArray(found) ? found : found.jobs;
      const hasEnded = jobs.some(
        (job) => !isActive(job) && state.jobs.some((old) => old.id === job.id && isActive(old)),
      );
      if (hasEnded) await refresh();
      else server.value = { ...(server.value ?? state), jobs };
    }
  } catch {
    // The loop that listens notices a lost connection and reads everything again.
  } finally {
    isPolling = false;
  }
}

function tellChanges(before: ServerState, now: ServerState, who: Role): void {
  for (const job of now.jobs) {
    const old = before.jobs.find((one) => one.id === job.id);
    const wasKnownAsEnded = old !== undefined && !isActive(old);
    if (wasKnownAsEnded || isActive(job)) continue;
    jobEnded(job);
  }
  for (const proposal of now.proposals) {
    const old = before.proposals.find((one) => one.id === proposal.id);
    if (!old && proposal.by !== who) say("A proposal has arrived.", "Look at it under Deals.");
    if (old && old.state !== proposal.state && who !== "curator") {
      if (proposal.state === "approved") say("Your proposal was approved.", "The release is ready under Deals.");
      if (proposal.state === "refused") say("Your proposal was refused.", "The curator's note is under Deals.");
    }
  }
}

function jobEnded(job: Job): void {
  if (job.state === "failed") {
    sayError({ message: job.error?.message ?? "The job failed.", hint: job.error?.hint ?? null });
    return;
  }
  if (job.state === "cancelled") {
    say("Cancelled.", "Nothing was changed.");
    return;
  }
  if (job.kind === "inspect" && view.value === "table") go("roles");
  if (job.kind === "count" && view.value === "roles") go("negotiate");
  if (job.kind === "release") say("The release is ready.", "Download it under Deals.");
}

/** Takes a job that was just started into the list, so that its progress shows at once. */
export function follow(job: Job): void {
  const state = server.value;
  if (!state) return;
  server.value = { ...state, jobs: [...state.jobs.filter((one) => one.id !== job.id), job] };
  void pollJobs();
}

/** Does something that the server may refuse, and says why if it does. True if it was done. */
export async function attempt(action: () => Promise<unknown>): Promise<boolean> {
  try {
    await action();
    return true;
  } catch (error) {
    sayError(error);
    return false;
  }
}

export async function cancelJob(job: Job): Promise<void> {
  await attempt(async () => {
    await ask(`/jobs/${job.id}`, { method: "DELETE" });
    await refresh();
  });
}

function firstView(who: Role, state: ServerState): View {
  if (who === "analyst") return "negotiate";
  return state.step === "counted" ? "negotiate" : "table";
}

export function viewsOf(who: Role, canSee: (what: "hierarchies" | "trials") => boolean): View[] {
  if (who === "curator") return ["table", "roles", "hierarchies", "bounds", "negotiate", "trials", "deals", "audit"];
  const list: View[] = ["negotiate"];
  if (canSee("hierarchies")) list.unshift("hierarchies");
  if (canSee("trials")) list.push("trials");
  list.push("deals");
  return list;
}

function allowedView(wanted: View | null): View | null {
  const who = role.value;
  return wanted && who && viewsOf(who, sees).includes(wanted) ? wanted : null;
}

/** Follows the address bar: back, forward, and links that were pasted. */
export function followAddress(): void {
  const wanted = allowedView(readLink(location.hash).view);
  if (wanted) view.value = wanted;
}
