/** Asks the server. Nothing here decides anything: JSON in, JSON out, and errors that say what to do next. */

import type { ApiProblem } from "./types";

/** What went wrong, as the server tells it. `status` is 0 if the server did not answer at all. */
export class AskError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | null;

  constructor(status: number, problem: ApiProblem) {
    super(problem.message);
    this.name = "AskError";
    this.status = status;
    this.code = problem.code;
    this.hint = problem.hint ?? null;
  }

  get isUnreachable(): boolean {
    return this.status === 0;
  }
}

const BASE = "/api/v1";
let token = "";

export function setToken(text: string): void {
  token = text;
}

interface Asked {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  body?: unknown;
  /** Bytes sent as they are, with their content type and further headers. */
  bytes?: { data: Blob; type: string; headers?: Record<string, string> };
  signal?: AbortSignal;
}

async function send(path: string, asked: Asked): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  const init: RequestInit = { method: asked.method ?? "GET", headers, cache: "no-store", credentials: "omit" };
  if (asked.bytes) {
    headers["content-type"] = asked.bytes.type;
    Object.assign(headers, asked.bytes.headers);
    init.body = asked.bytes.data;
  } else if (asked.body !== undefined) {
    headers["content-type"] = "application/json";
    init.body = JSON.stringify(asked.body);
  }
  if (asked.signal) init.signal = asked.signal;
  let response: Response;
  try {
    response = await fetch(BASE + path, init);
  } catch (error) {
    if (asked.signal?.aborted) throw error;
    throw new AskError(0, {
      code: "unreachable",
      message: "The server does not answer.",
      hint: "Check that `incrowd serve` is still running; the page reconnects by itself.",
    });
  }
  if (!response.ok) throw new AskError(response.status, await problemOf(response));
  return response;
}

async function problemOf(response: Response): Promise<ApiProblem> {
  try {
    const problem = (await response.json()) as Partial<ApiProblem>;
    if (typeof problem.message === "string") {
      return { code: problem.code ?? "unknown", message: problem.message, hint: problem.hint ?? null };
    }
  } catch {
    // The body is no JSON; the status says as much as there is.
  }
  return { code: `http-${response.status}`, message: `The server answered with status ${response.status}.` };
}

export async function ask<T>(path: string, asked: Asked = {}): Promise<T> {
  const response = await send(path, asked);
  const text = await response.text();
  return (text === "" ? null : JSON.parse(text)) as T;
}

/** Fetches a file and hands it to the browser as a download. A plain link could not carry the token. */
export async function download(path: string, fallbackName: string): Promise<void> {
  const response = await send(path, {});
  const disposition = response.headers.get("content-disposition") ?? "";
  const name = /filename="([^"]+)"/.exec(disposition)?.[1] ?? fallbackName;
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
