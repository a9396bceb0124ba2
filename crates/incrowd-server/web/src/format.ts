/** How numbers are written, everywhere on the page the same. */

const GROUPED = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** A number of rows, classes or nodes: `30,162`. Texts are numbers too large for JavaScript and only grouped. */
export function count(value: number | string): string {
  if (typeof value === "string") return /^\d+$/.test(value) ? GROUPED.format(BigInt(value)) : value;
  return GROUPED.format(value);
}

/** A count with its noun: `1 row`, `2 rows`. */
export function counted(value: number, noun: string, plural = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

/** A share as a percentage with two significant digits below ten: `0.5 %`, `1.2 %`, `34 %`. */
export function share(value: number): string {
  const percent = value * 100;
  if (percent === 0) return "0 %";
  if (percent < 0.01) return "< 0.01 %";
  if (percent >= 100) return "100 %";
  if (percent >= 99.5) return "> 99 %";
  const digits = percent >= 10 ? 0 : percent >= 1 ? 1 : 2;
  return `${Number(percent.toFixed(digits))} %`;
}

/** A figure of any size with four significant digits: `0.0228`, `7.5`, `47,442,874`, `3.1e+12`. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e12 || size < 1e-4) return value.toExponential(2);
  if (size >= 1000) return GROUPED.format(value);
  return String(Number(value.toPrecision(4)));
}

/** A difference with its sign; nothing if there is none worth showing. */
export function change(now: number, before: number): string {
  const difference = now - before;
  if (Math.abs(difference) <= 1e-9 * Math.max(Math.abs(now), Math.abs(before))) return "";
  return `${difference > 0 ? "+" : "−"}${figure(Math.abs(difference))}`;
}

/** A parameter of a model as a person would type it. */
export function parameter(value: number | string): string {
  return typeof value === "string" ? value : String(Number(value.toPrecision(12)));
}

/** A time of the server in the reader's clock; as it is if it cannot be read. */
export function moment(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime())
    ? text
    : date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
}

/** A list in a sentence: `a`, `a and b`, `a, b and c`. */
export function listed(words: string[]): string {
  if (words.length <= 1) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}
