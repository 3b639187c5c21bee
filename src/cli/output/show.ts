import type { Terminal } from "../terminal/terminal.ts";
import { pairs, table } from "./table.ts";

/** Formats API resources for people: every field with its name, for any type of resource. */

/** Columns that may be truncated. */
const texts = ["description", "note", "tags", "label", "meters", "apiKeys", "managers", "events"];

/** A list as a table of some fields, the most important first. Columns that are empty in every row are omitted. */
export function showList<Item extends object>(
  terminal: Terminal,
  items: Item[],
  fields: (keyof Item & string)[],
): void {
  if (items.length === 0) return;
  const filled = fields.filter((field) => items.some((item) => readable(item[field]) !== ""));
  const columns = filled.map((field) => ({
    title: title(field),
    canBeCut: texts.includes(field),
    isId: field === "id",
  }));
  const rows = items.map((item) => filled.map((field) => readable(item[field])));
  const { text, leftOut } = table(terminal, columns, rows);
  terminal.print(text);
  if (leftOut.length > 0) terminal.note(`The terminal is too narrow for: ${leftOut.join(", ")}`, "dim");
}

/** Feeds have no total: a full page may be followed by another one. */
export function hintAtOlder(terminal: Terminal, page: { id: string }[], limit: number): void {
  if (page.length >= Math.min(limit, maxPageSize))
    terminal.note(`--before ${page.at(-1)!.id} shows older ones, if there are any.`, "dim");
}

const maxPageSize = 1000;

/** A resource with all its fields. */
export function showResource(terminal: Terminal, thing: object): void {
  const entries = Object.entries(thing).map(([name, value]): [string, string] => [title(name), readable(value)]);
  const filled = entries.filter(([, value]) => value !== "");
  if (filled.length > 0) terminal.print(pairs(terminal, filled));
}

/** `expiresOn` → `Expires on` */
function title(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function readable(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return isTime(value) ? shortTime(value) : printable(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(readable).join(isFlat(value) ? ", " : "\n");
  return Object.entries(value)
    .map(([name, member]) =>
      isFlat([member]) ? `${printable(name)}=${readable(member)}` : `${printable(name)}(${readable(member)})`,
    )
    .join(", ");
}

/** To the second, in UTC. */
export function shortTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}Z`;
}

/** `1 route`, `2 routes` */
export function counted(count: number, thing: string): string {
  return `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}

/** `1 entry`, `2 entries` */
export function entriesOf(count: number): string {
  return `${count.toLocaleString("en")} ${count === 1 ? "entry" : "entries"}`;
}

/** `0.02 ms`, `3.1 ms`, `250 ms`, `1.2 s` */
export function milliseconds(duration: number): string {
  if (duration < 10) return `${Number(duration.toPrecision(duration < 1 ? 1 : 2))} ms`;
  if (duration < 1000) return `${Math.round(duration)} ms`;
  return `${(duration / 1000).toFixed(duration < 10_000 ? 1 : 0)} s`;
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`;
}

/** Removes control characters, which could move the cursor or colour the screen: the text is user input. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern replaces control characters.
  return text.replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, "�");
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);
}

function isFlat(values: unknown[]): boolean {
  return values.every((value) => typeof value !== "object" || value === null);
}
