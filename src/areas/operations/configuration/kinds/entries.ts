import type { z } from "zod";
import { invalid } from "../../../../core/problems/problem.ts";
import type { Paging } from "../../../../lib/paging.ts";
import { yieldToEventLoop } from "../../../../lib/tasks/slices.ts";
import type { ConfigurationEntry, Existing, SecretValues } from "../kind.ts";

/** Returns the fields of a resource that its schema of a configuration has. */
export function fieldsOf(schema: z.ZodObject, resource: object): ConfigurationEntry {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => name in schema.shape));
}

/** Returns the fields that are not at their default. */
export function withoutDefaults(entry: ConfigurationEntry, defaults: ConfigurationEntry): ConfigurationEntry {
  return Object.fromEntries(Object.entries(entry).filter(([name, value]) => !isSame(value, defaults[name])));
}

/** Returns the fields to change: those that differ, with null for those that are gone. */
export function patchOf(before: ConfigurationEntry, after: ConfigurationEntry): ConfigurationEntry {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => !isSame(before[name], after[name]));
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]));
}

/** Compares JSON values. The order of members has no meaning; nor has the order of items in the unordered fields. */
export function isSameEntry(
  first: ConfigurationEntry,
  second: ConfigurationEntry,
  unordered: readonly string[] = [],
): boolean {
  return isSame(sorted(first, unordered), sorted(second, unordered));
}

function sorted(entry: ConfigurationEntry, unordered: readonly string[]): ConfigurationEntry {
  const lists = unordered.filter((name) => Array.isArray(entry[name]));
  return { ...entry, ...Object.fromEntries(lists.map((name) => [name, (entry[name] as unknown[]).toSorted()])) };
}

function isSame(first: unknown, second: unknown): boolean {
  return Bun.deepEquals(first, second);
}

/** Returns the value that a reference of the file names. Throws if the caller has not sent it and none is stored. */
export function secretValue(
  reference: unknown,
  pointer: string,
  secrets: SecretValues,
  existing: Existing | undefined,
): string {
  const { env } = reference as { env: string };
  const value = Object.hasOwn(secrets, env) ? secrets[env] : existing?.storedSecret?.();
  if (value === undefined) throw invalid(`${pointer}/env`, `is not set in the environment: ${env}`);
  return value;
}

/** Returns all items of a list. Yields to the event loop after each page, because reads of SQLite do not. */
export async function allPages<Item>(list: (paging: Paging) => Promise<{ data: Item[]; total: number }>) {
  const all: Item[] = [];
  for (;;) {
    const { data, total } = await list({ limit: pageSize, offset: all.length });
    all.push(...data);
    await yieldToEventLoop();
    if (data.length === 0 || all.length >= total) return all;
  }
}

/** Small enough for 16 MiB of the largest resources. */
const pageSize = 100;
