/** The objects that the server and the page exchange. Fields that may be missing for the analyst are optional. */

export type Role = "curator" | "analyst";

export type ColumnRole = "identifying" | "quasi-identifying" | "sensitive" | "target" | "keep" | "drop";

/** What the curator lets the analyst look at. */
export interface AnalystSees {
  lattice: boolean;
  curve: boolean;
  distributions: boolean;
  metrics: boolean;
  hierarchies: boolean;
  trials: boolean;
}

export interface Session {
  role: Role;
  version: string;
  revision: number;
  sees: AnalystSees;
}

export interface Column {
  index: number;
  name: string;
  kind: string;
  role: ColumnRole | "plain" | null;
}

export interface QuasiIdentifier {
  index: number;
  name: string;
  /** The highest level; level 0 is the raw value. */
  levels: number;
  level_names: string[];
}

export type Settings = Record<string, number | string>;

export interface ModelBounds {
  name: string;
  /** The weakest promise that the curator accepts. */
  floor: number;
  /** The strongest promise that may be asked for. */
  ceiling: number;
  /** What the model needs beside its parameter, such as `k` of alpha-k-anonymity. */
  settings?: Settings;
}

export interface Bounds {
  models: ModelBounds[];
  max_suppressed: string | number;
  max_levels: number[] | null;
  /** Counts that the analyst sees are multiples of this. */
  mask: number;
  analyst_sees: AnalystSees;
}

export interface ModelCard {
  name: string;
  parameter: string;
  whole: boolean;
  stronger: "up" | "down";
  floor: number | null;
  ceiling: number | null;
  one_line: string;
}

export interface NamedCard {
  name: string;
  one_line: string;
}

export type JobState = "queued" | "running" | "done" | "failed" | "cancelled";

export interface Job {
  id: number;
  kind: string;
  state: JobState;
  phase?: string | null;
  done?: number | null;
  total?: number | null;
  percent?: number | null;
  error?: ApiProblem | null;
  result?: unknown;
}

export interface ApiProblem {
  code: string;
  message: string;
  hint?: string | null;
}

export type OfferKind = "exact" | "more-suppression" | "higher-levels" | "weaker-privacy";

export type ProposalState = "open" | "approving" | "approved" | "refused" | "withdrawn";

export interface Proposal {
  id: number;
  by: Role;
  time: string;
  state: ProposalState;
  wish: WishBody;
  /** Which of the offers that answered the wish is proposed. */
  kind: OfferKind;
  offer: Offer;
  note?: string | null;
  answer_note?: string | null;
  deal?: number | null;
}

export interface Deal {
  id: number;
  proposal: number;
  time: string;
  /** The name of the table. */
  table: string;
  /** The promise, such as `k-anonymity(k=5)`. */
  model: string;
  note?: string | null;
}

export interface ServerState {
  revision: number;
  step: "empty" | "loaded" | "counted";
  table: { name: string; rows: number; columns: Column[] } | null;
  quasi_identifiers: QuasiIdentifier[];
  bounds: Bounds;
  lattice: { nodes: number | string } | null;
  jobs: Job[];
  proposals: Proposal[];
  deals: Deal[];
  models: ModelCard[];
  metrics: NamedCard[];
  algorithms: NamedCard[];
}

/** A request as the server reads it. */
export interface WishBody {
  model: string;
  parameter: number;
  max_suppressed: string | number;
  max_levels?: number[] | Record<string, number> | null;
  metric?: string | null;
}

export interface RuleReached {
  rule: string;
  importance: number;
  kept: boolean;
}

export interface ResearchValue {
  total: number;
  greatest: number;
  attributes: { name: string; weight: number; value: number; ratio: number; rules: RuleReached[] }[];
}

export type GivesWay =
  | { wish: "suppression"; rows_beyond: number }
  | { wish: "levels"; steps_beyond: Record<string, number> }
  | { wish: "privacy"; asked: number | string };

/** A possible release and its cost: `A` in `incrowd negotiate --json`. */
export interface Offer {
  levels: number[];
  height: number;
  parameter: number | string;
  rows_suppressed: number;
  classes: number;
  smallest_class: number | null;
  metrics?: Record<string, number> | null;
  average_class?: number | null;
  share_suppressed?: number | null;
  levels_by_name?: Record<string, number>;
  model: string;
  gives_way: GivesWay | null;
  research_value?: ResearchValue | null;
}

interface AnswerFrame {
  version: number;
  lattice?: { nodes: number | string; annotated: number; how: string; complete: boolean; why: string };
  nodes_visited?: number;
  monotone?: boolean;
  seconds?: { prepare: number; answer: number };
}

export type Answer = AnswerFrame &
  (
    | { kind: "exact"; answer: Offer }
    | {
        kind: "relaxed";
        more_suppression: Offer | null;
        higher_levels: Offer | null;
        weaker_privacy: Offer | null;
      }
  );

export interface Curve {
  parameter_name: string;
  whole: boolean;
  asked: number;
  budget: number;
  rows: number;
  levels: Record<string, number>;
  points: [number, number][];
}

export interface LatticeNode {
  levels: number[];
  height: number;
  rows_suppressed: number;
  meets: boolean;
}

export interface LatticeFilter {
  min_height?: number;
  max_height?: number;
  at_most_suppressed?: number;
}

export interface LatticePicture {
  attributes: { name: string; height: number }[];
  nodes_total: number | string;
  shown: number;
  heights: { height: number; nodes: number | string; least: number; greatest: number }[];
  nodes: LatticeNode[];
}

export interface Bar {
  label: string;
  rows: number;
}

export interface Distribution {
  name: string;
  before: Bar[];
  after: Bar[];
  /** Labels that are not listed. */
  left_out?: { labels: number; before?: number; after?: number } | null;
}

export interface Preview {
  columns: string[];
  rows: string[][];
  suppressed: number;
}

export interface TreeNode {
  label: string;
  rows?: number | null;
  children?: TreeNode[];
  /** How many children are left out. */
  more?: number;
}

export interface HierarchyPicture {
  column: string;
  source: string;
  /** Why this hierarchy was chosen, if nobody gave it. */
  reason?: string | null;
  levels: { level: number; name?: string; labels: number }[];
  /** The labels of the highest level, which is usually `*` alone. */
  tree: TreeNode[];
}

/** Where a hierarchy comes from: a rule as the command line writes it, or a file. */
export type HierarchyBody = { source: string } | { csv: string };

export interface InspectedColumn {
  name: string;
  kind: string;
  missing: number;
  distinct: number;
  unique_rows: number;
  role: string;
  reason: string;
  levels?: { kind: string; from: string; reason: string | null } | null;
  looks_like?: string;
}

export interface Inspection {
  rows: number;
  columns: InspectedColumn[];
}

export interface ComparisonRun {
  algorithm: string;
  max_suppressed: number;
  metric: string;
  reached: {
    guarantee?: string;
    gap: number | null;
    recoding: string;
    levels: Record<string, number> | null;
    rows_suppressed: number;
    classes: number;
    smallest_class: number | null;
    average_class: number | null;
    metrics: Record<string, number>;
  } | null;
  failed: { message: string; hint?: string | null } | null;
  seconds?: number | null;
}

export interface Comparison {
  rows_in: number;
  metric: string;
  max_suppressed: number;
  runs: ComparisonRun[];
}

export interface AuditEntry {
  number: number;
  time: string;
  /** Who did it; nobody for the server itself. */
  role: string | null;
  action: string;
  detail: unknown;
  previous: string;
  hash: string;
}

export interface Audit {
  entries: AuditEntry[];
  verified: boolean;
  head: string | null;
  /** All entries, of which the latest are listed. */
  total?: number | null;
  /** The first entry that does not fit. */
  broken_at?: number | null;
}

export interface Explained {
  entries: { family: string; name: string; summary: string; text: string }[];
}
