import { UsageError } from "../process/usage-error.ts";
import type { Option } from "./command.ts";
import { listOption, oneOf } from "./values.ts";

/** `--clear description`: an option with a value replaces the field; a cleared field is removed. */
export function clearOption<const Field extends string>(...fields: Field[]): { clear: Option<Field[] | undefined> } {
  const isShort = fields.length <= 4;
  const option = listOption(isShort ? "a field to empty" : `a field to empty: ${fields.join(", ")}`, oneOf(...fields));
  return { clear: isShort ? option : { ...option, placeholder: "FIELD" } };
}

/** The fields of a resource that the server replaces as a whole, with changes. Null removes a field. */
export function withChanges(fields: object, changes: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...fields, ...changes }).filter(([name]) => changes[name] !== null));
}

/** The fields of an update request: the given values, and null for each cleared field. */
export function changesOf<Given extends object, Field extends keyof Given & string = never>(
  given: Given,
  clear: Field[] = [],
): { [Name in keyof Given]?: Exclude<Given[Name], undefined> } & { [Name in Field]?: null } {
  const changes = Object.entries(given).filter(([, value]) => value !== undefined);
  if (changes.length + clear.length === 0) throw new UsageError("There is nothing to change.");
  const twice = clear.find((field) => given[field] !== undefined);
  if (twice !== undefined) throw new UsageError(`${twice} is both given and cleared.`);
  return Object.fromEntries([...changes, ...clear.map((field) => [field, null])]);
}
