import { TollgateError } from "../../client/index.ts";
import { unescapePointer } from "../../lib/text/json-pointer.ts";
import { capitalized } from "./format.ts";

/** The text of an error: what happened, then what to do. Undefined if all of it is shown already. */
export function messageOf(error: unknown): string;
export function messageOf(error: unknown, shown: ReadonlySet<string>): string | undefined;
export function messageOf(error: unknown, shown: ReadonlySet<string> = new Set()): string | undefined {
  if (!(error instanceof TollgateError)) return error instanceof Error ? error.message : String(error);
  if (error.code === "network")
    return "The server cannot be reached. Check that it runs and that you are online, then try again.";
  if (error.code === "forbidden") return "Your role does not allow this. Ask an admin of the account.";
  if (error.errors.length === 0) return error.detail;
  const left = error.errors.filter(({ detail }) => !shown.has(detail));
  if (left.length === 0) return undefined;
  return error.code === "validation_failed" ? sentencesOf(left) : error.detail;
}

/** More errors would push the form out of sight. */
const maxNamed = 3;

function sentencesOf(errors: TollgateError["errors"]): string {
  const named = errors.slice(0, maxNamed).map(({ pointer, detail }) => `${placeOf(pointer)} ${detail}`);
  const more = errors.length - named.length;
  return `${named.join(". ")}${more > 0 ? ` (and ${more} more)` : ""}`;
}

/** `/customerKey` as the form labels it: "Customer key". Names below a field are user input. */
export function placeOf(pointer: string): string {
  if (pointer === "") return "The request";
  const [field = "", ...below] = pointer.replace(/^[/?]/, "").split("/");
  const words = field.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const names = below.map((name) => (/^\d+$/.test(name) ? `entry ${Number(name) + 1}` : unescapePointer(name)));
  return [capitalized(words), ...names].join(" › ");
}

export const statusOf = (error: unknown): number | undefined =>
  error instanceof TollgateError ? error.status : undefined;

export const codeOf = (error: unknown): string | undefined => (error instanceof TollgateError ? error.code : undefined);

/** Whether there was no response. */
export const isUnreachable = (error: unknown): boolean => statusOf(error) === 0;

/** The error of each field, by its JSON pointer: `/meters/requests/max`. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof TollgateError)) return {};
  return Object.fromEntries(error.errors.map(({ pointer, detail }) => [pointer, detail]));
}

/** The error of a field or of any value inside it. */
export function errorAt(errors: Record<string, string>, pointer: string): string | undefined {
  const found = Object.entries(errors).find(([at]) => at === pointer || at.startsWith(`${pointer}/`));
  return found?.[1];
}
