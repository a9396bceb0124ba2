/**
 * The token arrives in the fragment of the link that the program prints. A fragment is never sent to a server; it is
 * taken out of the address bar at once, so that it is in no screenshot, bookmark or history.
 */

const KEY = "incrowd-token";

/** Splits `#token=...` (possibly followed by `&` and a state) into the token and the fragment without it. */
export function splitToken(fragment: string): { token: string | null; rest: string } {
  const text = fragment.replace(/^#/, "");
  const match = /(?:^|&)token=([A-Za-z0-9_-]+)/.exec(text);
  if (!match) return { token: null, rest: text };
  return { token: match[1] ?? null, rest: text.replace(match[0], "").replace(/^&/, "") };
}

/** The token of this tab: from the fragment if there is one, else what an earlier load of the page kept. */
export function takeToken(): string | null {
  const { token, rest } = splitToken(location.hash);
  if (token) {
    history.replaceState(null, "", `${location.pathname}${rest ? `#${rest}` : ""}`);
    try {
      sessionStorage.setItem(KEY, token);
    } catch {
      // Without storage the token lasts until the next reload.
    }
    return token;
  }
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export function forgetToken(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // There was nothing to forget.
  }
}
