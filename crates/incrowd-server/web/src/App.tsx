/** The frame around every view: who you are, where you are, what is going on. */

import { useEffect, useRef } from "preact/hooks";
import { count } from "./format";
import { Messages } from "./parts/Messages";
import { Term } from "./parts/Term";
import type { View } from "./state/link";
import { theme } from "./state/theme";
import { connection, go, isCurator, openProposals, role, sees, server, view, viewsOf } from "./state/workbench";
import { AuditView } from "./views/AuditView";
import { BoundsView } from "./views/BoundsView";
import { DealsView } from "./views/DealsView";
import { HierarchiesView } from "./views/HierarchiesView";
import { NegotiateView } from "./views/NegotiateView";
import { RolesView } from "./views/RolesView";
import { TableView } from "./views/TableView";
import { TrialsView } from "./views/TrialsView";
import { VIEW_NAMES } from "./words";

const SHOWN: Record<View, () => preact.JSX.Element> = {
  table: TableView,
  roles: RolesView,
  hierarchies: HierarchiesView,
  bounds: BoundsView,
  negotiate: NegotiateView,
  trials: TrialsView,
  deals: DealsView,
  audit: AuditView,
};

export function App() {
  const now = view.value;
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);

  useEffect(() => {
    if (!now) return;
    document.title = `${VIEW_NAMES[now]} – incrowd`;
    // Readers who use the keyboard continue where the new view begins.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [now]);

  if (connection.value === "no-token" || connection.value === "refused") return <Locked />;
  const Shown = now ? SHOWN[now] : null;
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <Header />
      <Messages />
      <main ref={main} id="main" tabIndex={-1} class="page">
        {Shown ? <Shown /> : <p aria-busy="true">Connecting to the server…</p>}
      </main>
    </>
  );
}

function Header() {
  const state = server.value;
  const who = role.value;
  return (
    <header class="top">
      <div class="top-line">
        <span class="brand">
          <img src="/icon.svg" alt="" width="28" height="28" />
          incrowd
        </span>
        {state?.table && (
          <span class="table-name">
            {isCurator.value ? state.table.name : "The curator's table"}
            <span class="quiet">
              {" "}
              · {isCurator.value ? "" : "about "}
              {count(state.table.rows)} rows
            </span>
          </span>
        )}
        <span class="spring" />
        {who && (
          <span class="who">
            You are the <Term name={who} />
          </span>
        )}
        <label class="theme">
          <span class="sr-only">Colors</span>
          <select
            value={theme.value}
            onChange={(event) => {
              const chosen = event.currentTarget.value;
              theme.value = chosen === "light" || chosen === "dark" ? chosen : "auto";
            }}
          >
            <option value="auto">Auto</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
      </div>
      {who && (
        <nav aria-label="Views">
          <ul>
            {viewsOf(who, sees).map((name) => (
              <li key={name}>
                <a
                  href={`#/${name}`}
                  aria-current={view.value === name ? "page" : undefined}
                  onClick={(event) => {
                    event.preventDefault();
                    go(name);
                  }}
                >
                  {VIEW_NAMES[name]}
                  {name === "deals" && isCurator.value && openProposals.value.length > 0 && (
                    <span class="badge">
                      {openProposals.value.length}
                      <span class="sr-only"> open proposals</span>
                    </span>
                  )}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </header>
  );
}

function Locked() {
  const wasRefused = connection.value === "refused";
  return (
    <main class="page locked">
      <h1>incrowd</h1>
      <p>
        {wasRefused
          ? "The server does not accept the key of this page. It may have been started with another data folder."
          : "This page opens with a key that only the server knows."}
      </p>
      <p>
        Open the link that <code>incrowd serve</code> printed when it started: one for the person who holds the data,
        one for the person who wants to use it. Links look like <code>http://127.0.0.1:7337/#token=…</code>
      </p>
    </main>
  );
}
