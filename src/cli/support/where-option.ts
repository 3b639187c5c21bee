import type { Option } from "./command.ts";
import { UsageError } from "./usage-error.ts";

/** `--where NAME=VALUE`, repeatable; undefined where none is given. Each value is parsed by its name; tags are text. */
export function whereOption<Value extends string | boolean>(
  parsers: Record<string, (text: string) => Value>,
  /** In the help, where the names alone do not explain themselves. */
  explained = Object.keys(parsers).join(", "),
): Option<Record<string, Value | string> | undefined> {
  return {
    help: `a condition: ${explained} or tag.NAME; may be repeated, all must hold`,
    placeholder: "NAME=VALUE",
    read: (given) => (given.length === 0 ? undefined : Object.fromEntries(given.map(condition))),
  };

  function condition(text: string): [string, Value | string] {
    const middle = text.indexOf("=");
    const name = text.slice(0, Math.max(0, middle));
    const value = text.slice(middle + 1);
    if (/^tag\../.test(name)) return [name, value];
    if (Object.hasOwn(parsers, name)) return [name, parsers[name]!(value)];
    const names = Object.keys(parsers).join(", ");
    throw new UsageError(`must be NAME=VALUE with a name of ${names} or tag.NAME, not "${text}"`);
  }
}
