/** How the values of every quasi-identifier may be generalized: drawn as trees, and editable by the curator. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { AskError, ask } from "../api/client";
import type { HierarchyBody, HierarchyPicture, Job, TreeNode } from "../api/types";
import { count } from "../format";
import { Problem } from "../parts/Problem";
import { Prose } from "../parts/Prose";
import { RULES, readRule } from "../parts/rules";
import { Term } from "../parts/Term";
import { Tree } from "../parts/Tree";
import { Latest } from "../state/latest";
import { activeJobs, attempt, follow, isCurator, server } from "../state/workbench";
import { NoTable } from "./RolesView";

const PREVIEW_DELAY_MS = 250;

export function HierarchiesView() {
  const columns = server.value?.quasi_identifiers ?? [];
  const chosen = useSignal<number | null>(null);
  const picture = useSignal<HierarchyPicture | null>(null);
  const problem = useSignal<AskError | null>(null);
  const column = columns.find((one) => one.index === chosen.value) ?? columns[0];
  const key = column ? `${column.index}/${column.levels}/${column.level_names.join("\n")}` : null;

  // Read again when the levels of the column change.
  useEffect(() => {
    if (!column) return;
    const abort = new AbortController();
    picture.value = null;
    problem.value = null;
    ask<HierarchyPicture>(`/hierarchies/${column.index}`, { signal: abort.signal }).then(
      (found) => {
        picture.value = found;
      },
      (error: unknown) => {
        if (error instanceof AskError) problem.value = error;
      },
    );
    return () => abort.abort();
  }, [key]);

  if (!server.value?.table) return <NoTable />;
  if (!column) {
    return (
      <>
        <h1>Hierarchies</h1>
        <p>Give the columns their roles first: every quasi-identifier then has a hierarchy.</p>
      </>
    );
  }
  return (
    <>
      <h1>Hierarchies</h1>
      <p class="lead">
        A <Term name="hierarchy" /> says how a value may become coarser, <Term name="level" /> by level, up to{" "}
        <code>*</code>, which can be anything.
      </p>
      <div class="columns-bar">
        {columns.map((one) => (
          <button
            key={one.index}
            type="button"
            class={one.index === column.index ? "chosen" : "secondary"}
            aria-pressed={one.index === column.index}
            onClick={() => {
              chosen.value = one.index;
            }}
          >
            {one.name}
          </button>
        ))}
      </div>
      {problem.value && <Problem error={problem.value} />}
      {picture.value && <OneHierarchy key={key} index={column.index} name={column.name} picture={picture.value} />}
    </>
  );
}

function OneHierarchy({ index, name, picture }: { index: number; name: string; picture: HierarchyPicture }) {
  const draft = useSignal<HierarchyBody | null>(null);
  const drawn = useSignal<HierarchyPicture | null>(null);
  const problem = useSignal<AskError | null>(null);
  const asker = useMemo(
    () =>
      new Latest<HierarchyBody, HierarchyPicture>(
        (body, signal) => ask(`/hierarchies/${index}/preview`, { method: "POST", body, signal }),
        (found) => {
          drawn.value = found;
          problem.value = null;
        },
        (error) => {
          drawn.value = null;
          if (error instanceof AskError) problem.value = error;
        },
        PREVIEW_DELAY_MS,
      ),
    [index, drawn, problem],
  );
  const change = (body: HierarchyBody | null) => {
    draft.value = body;
    problem.value = null;
    if (body) asker.ask(body);
    else {
      asker.cancel();
      drawn.value = null;
    }
  };
  const use = () =>
    attempt(async () => {
      follow(await ask<Job>(`/hierarchies/${index}`, { method: "PUT", body: draft.value }));
      change(null);
    });
  const shown = drawn.value ?? picture;

  return (
    <div class="hierarchy">
      {isCurator.value && (
        <Editor
          source={picture.source}
          onChange={change}
          canUse={drawn.value !== null && activeJobs.value.length === 0}
          onUse={() => void use()}
        />
      )}
      <section aria-label={`Hierarchy of ${name}`}>
        <h2>
          {shown.column}
          {drawn.value && <span class="badge">preview</span>}
        </h2>
        {problem.value && <Problem error={problem.value} />}
        <p class="quiet">
          {shown.source && (
            <>
              {drawn.value ? "Would be built from" : "Built from"} <code>{shown.source}</code>.{" "}
            </>
          )}
          {shown.reason && (
            <>
              Chosen because: <Prose text={shown.reason} />.{" "}
            </>
          )}
          From level 0 up it has {shown.levels.map((one) => count(one.labels)).join(" → ")} values
          {isCurator.value ? "" : " that are frequent enough to be shown"}. Numbers beside a value count its rows.
          Select a group to fold or unfold it.
        </p>
        <Tree
          key={shown.source}
          picture={isCurator.value ? shown : { ...shown, tree: shown.tree.map(withRareValues) }}
        />
      </section>
    </div>
  );
}

/** For the analyst, what is left out below a group are rows: of its rare values, and those that rounding takes away. */
function withRareValues(node: TreeNode): TreeNode {
  const children = (node.children ?? []).map(withRareValues);
  if (node.more) children.push({ label: "not shown", rows: node.more });
  return { ...node, children, more: 0 };
}

interface EditorProps {
  source: string;
  canUse: boolean;
  onChange: (body: HierarchyBody | null) => void;
  onUse: () => void;
}

function Editor({ source, canUse, onChange, onUse }: EditorProps) {
  const present = readRule(source);
  const kindKey = useSignal<string>(present?.kind.key ?? "");
  const text = useSignal<string>(present?.text ?? "");
  const fileName = useSignal<string | null>(null);
  const isChanged = useSignal(false);
  const kind = RULES.find((one) => one.key === kindKey.value);
  const isRead = !kind?.asks || kind.check.test(text.value);

  const tell = () => {
    isChanged.value = true;
    const chosen = RULES.find((one) => one.key === kindKey.value);
    if (!chosen) onChange(null);
    else onChange(!chosen.asks || chosen.check.test(text.value) ? { source: chosen.write(text.value) } : null);
  };

  return (
    <section class="card editor" aria-label="Change the hierarchy">
      <h2>Change it</h2>
      <label>
        Build it from
        <select
          value={kindKey.value}
          onChange={(event) => {
            kindKey.value = event.currentTarget.value;
            text.value = RULES.find((one) => one.key === kindKey.value)?.example ?? "";
            fileName.value = null;
            tell();
          }}
        >
          <option value="">A file, or as it is now</option>
          {RULES.map((one) => (
            <option key={one.key} value={one.key}>
              {one.name}
            </option>
          ))}
        </select>
      </label>
      {kind?.asks && (
        <label>
          {kind.asks}
          <input
            type="text"
            value={text.value}
            placeholder={kind.example}
            aria-invalid={!isRead || undefined}
            onInput={(event) => {
              text.value = event.currentTarget.value;
              tell();
            }}
          />
          {!isRead && <small class="problem">Write it like {kind.example}.</small>}
        </label>
      )}
      <label>
        Or upload a CSV file: a line per value, then its groups up to <code>*</code>
        <input
          type="file"
          accept=".csv,text/csv"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            if (!file) return;
            fileName.value = file.name;
            kindKey.value = "";
            isChanged.value = true;
            file.text().then(
              (csv) => onChange({ csv }),
              () => onChange(null),
            );
          }}
        />
      </label>
      <div class="actions">
        <button type="button" disabled={!canUse} onClick={onUse}>
          Use this hierarchy
        </button>
        {isChanged.value && (
          <button
            type="button"
            class="secondary"
            onClick={() => {
              kindKey.value = present?.kind.key ?? "";
              text.value = present?.text ?? "";
              fileName.value = null;
              isChanged.value = false;
              onChange(null);
            }}
          >
            Keep the old one
          </button>
        )}
      </div>
      <p class="quiet">The tree shows what you would get. Using it counts the table anew.</p>
    </section>
  );
}
