/** How the page calls things, and what its words mean. */

import type { OfferKind } from "./api/types";
import type { View } from "./state/link";

export const VIEW_NAMES: Record<View, string> = {
  table: "Table",
  roles: "Roles",
  hierarchies: "Hierarchies",
  bounds: "Bounds",
  negotiate: "Negotiate",
  trials: "Trials",
  deals: "Deals",
  audit: "Audit",
};

export const OFFER_NAMES: Record<OfferKind, string> = {
  exact: "The best release that meets it",
  "more-suppression": "Suppress more rows",
  "higher-levels": "Generalize further",
  "weaker-privacy": "Promise less privacy",
};

export const OFFER_MARKS: Record<OfferKind, string> = {
  exact: "★",
  "more-suppression": "S",
  "higher-levels": "L",
  "weaker-privacy": "P",
};

export const JOB_NAMES: Record<string, string> = {
  inspect: "Reading the table",
  count: "Counting the table",
  prepare: "Preparing for another model",
  compare: "Trying algorithms",
  release: "Making the release",
};

/** What a job is doing, as the server names it. */
export const PHASE_NAMES: Record<string, string> = {
  read: "reading rows",
  solve: "searching",
  write: "writing rows",
  simulate: "drawing tables",
};

export const ROLE_NAMES: Record<string, string> = {
  identifying: "Identifying",
  "quasi-identifying": "Quasi-identifier",
  sensitive: "Sensitive",
  target: "Target",
  keep: "Keep",
  drop: "Drop",
};

/** What a role means for the release. */
export const ROLE_MEANINGS: [string, string][] = [
  ["identifying", "names a person by itself; left out of the release."],
  ["quasi-identifying", "does not name a person, but others may know it; generalized until nobody stands out."],
  ["sensitive", "must not be linked to a person; published, and protected by models such as l-diversity."],
  ["target", "what analysts want to predict; published unchanged."],
  ["keep", "published unchanged."],
  ["drop", "left out of the release."],
];

/** Words of the page itself, which the program's glossary does not have. All others are looked up there. */
export const OWN_WORDS: Record<string, string> = {
  curator: "The person who holds the data and decides what may be released.",
  analyst: "The person who wants to use the data and sees aggregate answers and approved releases only.",
  floor: "The weakest promise of privacy that the curator accepts.",
  ceiling: "The strongest promise of privacy that may be asked for.",
  mask: "Counts shown to the analyst are rounded to multiples of this number, so that small groups cannot be read off.",
  limit: "The node at the highest levels you accept; every acceptable release is at or below it.",
  "hash chain":
    "Every entry contains the hash of the one before it, so that no entry can be changed or removed unnoticed.",
};
