import type { Option } from "../arguments/command.ts";
import { naming } from "../arguments/parse.ts";
import { recordOf } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

/** `--where NAME=VALUE`, repeatable; undefined if absent. The name selects the parser of the value; tags are text. */
export function whereOption<Value extends string | boolean>(
  parsers: Record<string, (text: string) => Value>,
  /** Help text for names that need an explanation. */
  explained = Object.keys(parsers).join(", "),
): Option<Record<string, Value | string> | undefined> {
  return {
    help: `a condition: ${explained} or tag.NAME; may be repeated, all must match`,
    placeholder: "NAME=VALUE",
    read: (given) => (given.length === 0 ? undefined : recordOf(given.map(split), parse)),
  };

  function split(text: string): [string, string] {
    const middle = text.indexOf("=");
    const name = text.slice(0, Math.max(0, middle));
    if (/^tag\../.test(name) || Object.hasOwn(parsers, name)) return [name, text.slice(middle + 1)];
    const names = Object.keys(parsers).join(", ");
    throw new UsageError(`must be NAME=VALUE with a name of ${names} or tag.NAME, not "${text}"`);
  }

  function parse(name: string, text: string): Value | string {
    return Object.hasOwn(parsers, name) ? naming(name, () => parsers[name]!(text)) : text;
  }
}
