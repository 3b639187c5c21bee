import { UsageError } from "../process/usage-error.ts";
import type { Option } from "./command.ts";
import { listOption, oneOf } from "./values.ts";

/** `--clear description`: a field that is given replaces the old value, one that is cleared has none any more. */
export function clearOption<const Field extends string>(...fields: Field[]): { clear: Option<Field[]> } {
  const isShort = fields.length <= 4;
  const option = listOption(isShort ? "a field to empty" : `a field to empty: ${fields.join(", ")}`, oneOf(...fields));
  return { clear: isShort ? option : { ...option, placeholder: "FIELD" } };
}

/** What an update sends: fields that were given, and null for those to clear. */
export function changesOf<Given extends object, Field extends keyof Given & string>(
  given: Given,
  clear: Field[],
): { [Name in keyof Given]?: Exclude<Given[Name], undefined> } & { [Name in Field]?: null } {
  const changes = Object.entries(given).filter(([, value]) => value !== undefined);
  if (changes.length + clear.length === 0) throw new UsageError("There is nothing to change.");
  const twice = clear.find((field) => given[field] !== undefined);
  if (twice !== undefined) throw new UsageError(`${twice} is both given and cleared.`);
  return Object.fromEntries([...changes, ...clear.map((field) => [field, null])]);
}
