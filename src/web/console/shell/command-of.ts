import { command } from "../../lib/shell.ts";
import { commands, type Taken } from "./commands.gen.ts";

/** The values of a request by their places: `{parameter}`, `?query` or `/pointer` of the body. */
type Values = Map<string, unknown>;

/** The command of the CLI that sends the request; undefined if none sends exactly this. */
export function commandOf(request: { method: string; path: string; body?: unknown }): string | undefined {
  const [path = "", query] = request.path.split("?");
  const found = Object.entries(commands).flatMap(([operation, entries]) => {
    const [method, template = ""] = operation.split(" ");
    const pattern = template.replaceAll("$", "\\$").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)");
    const match = method === request.method && new RegExp(`^${pattern}$`).exec(path);
    if (!match) return [];
    return entries.flatMap(({ words, takes }) => {
      const values: Values = new Map();
      for (const [name, value] of Object.entries(match.groups ?? {}))
        values.set(`{${name}}`, decodeURIComponent(value));
      for (const [name, value] of new URLSearchParams(query)) values.set(`?${name}`, value);
      // An option of all commands.
      for (const place of ["{accountName}", "?accountName"]) values.delete(place);
      flatten(request.body, "", values);
      const options = takes.flatMap((taken) => wordsOf(taken, values, request.body));
      // Without its flag, a value is not set.
      for (const [, at, how] of takes)
        if (typeof how === "object" && "is" in how && typeof how.is === "boolean" && values.get(at) === !how.is)
          values.delete(at);
      return values.size > 0 || options.includes(impossible) ? [] : [command(...words.split(" "), ...options)];
    });
  });
  return found.sort((one, other) => one.length - other.length)[0];
}

const impossible = "\0";

/** Takes what the command sends out of the values. */
function wordsOf([word, at, how]: Taken, values: Values, body: unknown): string[] {
  const value = values.get(at);
  if (how === "pairs" || how === "json") {
    const [before = "", after = ""] = how === "pairs" ? at.split("*") : [`${at}/`];
    const places = [...values].filter(([place]) => place.startsWith(before) && place.endsWith(after));
    for (const [place] of places) values.delete(place);
    if (how === "json") return places.length === 0 ? [] : [word, JSON.stringify(valueAt(body, at))];
    const nameOf = (place: string) => place.slice(before.length, place.length - after.length);
    return places.flatMap(([place, member]) => [word, `${nameOf(place)}=${member}`]);
  }
  if (typeof how === "object" && "is" in how) {
    if (value === how.is) values.delete(at);
    else if (word === "-") return [impossible];
    return word === "-" || value !== how.is ? [] : word.split(" ");
  }
  if (value === undefined && word === "") return [impossible];
  if (
    value === undefined ||
    value === null ||
    Array.isArray(value) !== (how === "list" || how === "lowerCase" || word === "~")
  )
    return [];
  values.delete(at);
  if (word === "~") return [];
  if (Array.isArray(value))
    return value.flatMap((each) => [word, how === "list" ? `${each}` : `${each}`.toLowerCase()]);
  // What must not be in the clipboard is read from the terminal.
  if (word === "" || word === "?") return value === "…" ? [] : [String(value)];
  if (typeof how !== "object") return [word, String(value)];
  const second = values.get(how.joined);
  values.delete(how.joined);
  return [word, `${value}/${second}`];
}

/** A list of plain values is one value. */
function flatten(value: unknown, at: string, values: Values): void {
  const isPlain = Array.isArray(value) && !value.some((each) => typeof each === "object");
  if (typeof value === "object" && value !== null && !isPlain && Object.keys(value).length > 0)
    for (const [name, member] of Object.entries(value)) flatten(member, `${at}/${name}`, values);
  else if (value !== undefined && at !== "") values.set(at, value);
}

const valueAt = (body: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce((inside, name) => (inside as Record<string, unknown>)[name], body);
