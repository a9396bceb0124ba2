/** The rules that build a hierarchy, as the command line writes them. */

export interface RuleKind {
  key: string;
  name: string;
  /** What the box holds, and an example. */
  asks: string | null;
  example: string;
  check: RegExp;
  write: (text: string) => string;
}

const NUMBERS = /^\s*\d+(\.\d+)?(\s*,\s*\d+(\.\d+)?)*\s*(@\s*-?\d+(\.\d+)?\s*)?$/;
const WHOLES = /^\s*\d+(\s*,\s*\d+)*\s*$/;
const tight = (text: string) => text.replace(/\s+/g, "");

const numbers = (key: string, name: string, asks: string, example: string, check = WHOLES): RuleKind => ({
  key,
  name,
  asks,
  example,
  check,
  write: (text) => `${key}:${tight(text)}`,
});

const list = (key: string, name: string): RuleKind => ({
  key,
  name,
  asks: null,
  example: "",
  check: /^/,
  write: () => key,
});

export const RULES: RuleKind[] = [
  numbers(
    "interval",
    "Intervals of numbers",
    "Widths, each a multiple of the one before; @ and where counting begins",
    "5,10,20@0",
    NUMBERS,
  ),
  numbers("quantile", "Groups with about the same number of rows", "Numbers of groups", "16,8,4"),
  {
    ...numbers("date", "Dates", "Units, from fine to coarse: day, week, month, quarter, year, decade", "month,year"),
    check:
      /^\s*(day|week|month|quarter|year|decade)(\s*,\s*(day|week|month|quarter|year|decade))*\s*(@(day|month)-first)?\s*$/,
  },
  numbers("mask", "Mask the end of a code", "Characters hidden with each level", "1", /^\s*[1-9]\d*\s*$/),
  numbers("prefix", "Keep the beginning of a code", "Characters kept at each level", "3,1"),
  numbers("frequent", "Keep frequent values, merge the others", "How many values are kept at each level", "12,6,3"),
  list("order", "Pairs of neighbors, then pairs of pairs"),
  list("countries", "Countries by region and continent"),
  list("us-states", "US states by division and region"),
  list("education", "Levels of education"),
  list("icd10", "Diagnoses (ICD-10)"),
  list("uk-postcode", "UK postcodes"),
  list("suppress", "The value or *"),
];

/** The kind and the text of a rule that is in use; nothing for hierarchies from a file. */
export function readRule(source: string): { kind: RuleKind; text: string } | null {
  const colon = source.indexOf(":");
  const key = colon < 0 ? source.trim() : source.slice(0, colon).trim();
  const kind = RULES.find((one) => one.key === key);
  return kind ? { kind, text: colon < 0 ? "" : source.slice(colon + 1) } : null;
}
