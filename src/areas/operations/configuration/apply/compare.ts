import { jsonPointer } from "../../../../core/problems/field-errors.ts";
import { type FieldError, Problem } from "../../../../core/problems/problem.ts";
import {
  type ConfigurationChange,
  type ConfigurationEntry,
  type Desired,
  type Existing,
  isGrouped,
  type Kind,
  type ResourceName,
  type SecretValues,
} from "../kind.ts";
import { isSameEntry } from "../kinds/entries.ts";
import type { Configuration } from "../schema.ts";

/** A change of a resource, and its place in the configuration. */
export interface PlannedChange extends ConfigurationChange {
  kind: Kind;
  /** A JSON pointer into the body of the request. */
  pointer: string;
}

interface ConfigurationComparison {
  configuration: Configuration;
  existing: Existing[];
  secrets: SecretValues;
  errors: FieldError[];
}

/** Returns the resources of a kind that the configuration asks for. Adds to the errors. */
export function desiredOf(
  kind: Kind,
  { configuration, existing, secrets, errors }: ConfigurationComparison,
): Desired[] {
  const byName = new Map(existing.map((one) => [keyOf(one), one]));
  const wanted: Desired[] = [];
  const pointers = new Map<string, string>();
  for (const { name, entry } of entriesOf(kind, configuration)) {
    const pointer = pointerTo(kind, name);
    try {
      const desired = kind.desired(name, entry, secrets, byName.get(keyOf(name)));
      // Two spellings of one host are one domain.
      const other = pointers.get(keyOf(desired));
      if (other) errors.push({ pointer, detail: `is the same resource as ${other}` });
      pointers.set(keyOf(desired), pointer);
      wanted.push(desired);
    } catch (error) {
      errors.push(...errorsOf(error, pointer));
    }
  }
  return wanted;
}

/** Returns the changes that make the existing resources match, in any order. */
export function configurationChangesOf(
  kind: Kind,
  existing: Existing[],
  wanted: Desired[],
  isPruned: (existing: Existing) => boolean,
): PlannedChange[] {
  const byName = new Map(existing.map((one) => [keyOf(one), one]));
  const names = new Set(wanted.map(keyOf));
  const written = wanted.flatMap((after): PlannedChange[] => {
    const before = byName.get(keyOf(after));
    const pointer = pointerTo(kind, after);
    if (!before) return [{ kind, pointer, action: "create", after }];
    return isUnchanged(kind, before, after) ? [] : [{ kind, pointer, action: "update", before, after }];
  });
  const deleted = existing
    .filter((one) => !names.has(keyOf(one)) && isPruned(one))
    .map((before): PlannedChange => ({ kind, pointer: pointerTo(kind, before), action: "delete", before }));
  return [...deleted, ...written];
}

/** The fields of a resource to be written. Of a secret only that it changes. */
export function shownInput(before: Existing | undefined, after: Desired): ConfigurationEntry {
  return after.secret ? after.secret.shown(hasChangedSecret(before, after)) : after.input;
}

function hasChangedSecret(before: Existing | undefined, { secret }: Desired): boolean {
  return secret !== undefined && before?.storedSecret?.() !== secret.value;
}

function isUnchanged(kind: Kind, before: Existing, after: Desired): boolean {
  return isSameEntry(before.entry, shownInput(before, after), kind.unordered);
}

/** Returns the entries of a kind; those of some kinds are one level deeper. */
function entriesOf(
  { name: kind }: Kind,
  configuration: Configuration,
): { name: ResourceName; entry: ConfigurationEntry }[] {
  if (kind === "billingProfile") {
    const entry = configuration[kind];
    return entry ? [{ name: { name: "seller" }, entry }] : [];
  }
  if (!isGrouped(kind))
    return Object.entries(configuration[kind] ?? {}).map(([name, entry]) => ({ name: { name }, entry }));
  const parents: Record<string, Record<string, ConfigurationEntry>> = configuration[kind] ?? {};
  return Object.entries(parents).flatMap(([parent, entries]) =>
    Object.entries(entries).map(([name, entry]) => ({ name: { parent, name }, entry })),
  );
}

function pointerTo(kind: Kind, { parent, name }: ResourceName): string {
  const place = kind.isSingle ? [] : [...(parent === undefined ? [] : [parent]), name];
  return jsonPointer(["configuration", kind.name, ...place]);
}

function keyOf({ parent, name }: ResourceName): string {
  return JSON.stringify([parent, name]);
}

/** Commands of the API that a configuration does not have. */
const otherDetails: Record<string, string> = {
  bucket_not_empty: "is not empty: delete its consumers first",
  metering_bucket_not_empty: "is not empty: delete its subscriptions first",
};

/** Returns the errors of one resource with pointers into the configuration. Throws what is no problem of the client. */
export function errorsOf(error: unknown, pointer: string): FieldError[] {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  if (!error.errors) return [{ pointer, detail: otherDetails[error.code] ?? error.detail }];
  return error.errors.map((inner) =>
    inner.pointer.startsWith("/") || inner.pointer === ""
      ? { pointer: `${pointer}${inner.pointer}`, detail: inner.detail }
      : { pointer, detail: `${inner.pointer} ${inner.detail}` },
  );
}
