import type { TagFilter } from "../../client/index.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { formatDateTime, parseDateTime } from "../../lib/time/time.ts";
import { parsedJson } from "../process/file-errors.ts";
import { UsageError } from "../process/usage-error.ts";
import type { Argument, Completion, Option } from "./command.ts";

/** Parsers of the values of arguments and options. */

export function argument(help: string, completion?: Completion): Argument<string> {
  return { help, isOptional: false, completion, read: (given = "") => notEmpty(given) };
}

/** An empty value is an error: it is probably an unset shell variable. */
export function optionalArgument(help: string, completion?: Completion): Argument<string | undefined> {
  return { help, isOptional: true, completion, read: (given) => (given === undefined ? undefined : notEmpty(given)) };
}

/** Like optionalArgument, but the value may be empty. */
export function optionalText(help: string): Argument<string | undefined> {
  return { help, isOptional: true, read: (given) => given };
}

function notEmpty(given: string): string {
  if (given === "") throw new UsageError("must not be empty");
  return given;
}

export function flag(help: string, short?: string): Option<boolean> {
  return { help, short, read: (given) => given.length > 0 };
}

interface Kind<Value> {
  placeholder: string;
  completion?: Completion;
  parse(text: string): Value;
}

const anyText: Kind<string> = { placeholder: "TEXT", parse: (text) => text };

/** A value with a form. `read` gets the groups of the pattern, and returns undefined for a value that is not allowed. */
export function formed<Value>(
  placeholder: string,
  pattern: RegExp,
  read: (...groups: string[]) => Value | undefined,
  form = placeholder,
): Kind<Value> {
  return {
    placeholder,
    parse(text) {
      const found = pattern.exec(text);
      const value = found ? read(...found.slice(1)) : undefined;
      if (value === undefined) throw new UsageError(`must be ${form}, not "${text}"`);
      return value;
    },
  };
}

const upTo = (maximum: number) => (text?: string) => (Number(text) <= maximum ? Number(text) : undefined);

export const integer = formed("NUMBER", /^(-?\d{1,15})$/, Number, "a whole number");
export const port = formed("NUMBER", /^(\d{1,5})$/, upTo(65_535), "a port from 0 to 65535");
export const percentage = formed("PERCENT", /^(\d{1,3})$/, upTo(100), "a whole number from 0 to 100");

export const amount: Kind<number> = {
  placeholder: "NUMBER",
  parse(text) {
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value)) throw new UsageError(`must be a number, not "${text}"`);
    return value;
  },
};

const unitMilliseconds: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time, absolute or relative to now: `30d`, `12h`, `now`. */
export const time: Kind<string> = {
  placeholder: "TIME",
  parse(text) {
    const moment = momentOf(text);
    if (moment === undefined)
      throw new UsageError(
        `must be a time such as 2030-01-31T10:00:00Z, or from now such as 30d or 12h, not "${text}"`,
      );
    return formatDateTime(moment);
  },
};

/** A time, absolute or in the past: `90d` is ninety days ago. */
export const pastTime: Kind<string> = { placeholder: "TIME", parse: (text) => pastTimeBefore(text) };

/** The same, in the time of a bucket. */
export const pastTimeOfBucket: Kind<(now: number) => string> = {
  placeholder: "TIME",
  parse(text) {
    pastTimeBefore(text);
    return (now) => pastTimeBefore(text, now);
  },
};

function pastTimeBefore(text: string, now?: number): string {
  const moment = momentOf(/^\d{1,6}[smhd]$/.test(text) ? `-${text}` : text, now);
  if (moment === undefined)
    throw new UsageError(`must be a time such as 2026-01-31T10:00:00Z, or 30d for 30 days ago, not "${text}"`);
  return formatDateTime(moment);
}

function momentOf(text: string, now = systemClock.now()): number | undefined {
  if (text === "now") return now;
  const [, sign, count, unit] = /^([+-]?)(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (unit === undefined) return parseDateTime(text);
  const milliseconds = Number(count) * unitMilliseconds[unit]!;
  return now + (sign === "-" ? -milliseconds : milliseconds);
}

export const boolean: Kind<boolean> = {
  placeholder: "true|false",
  completion: ["true", "false"],
  parse(text) {
    if (text !== "true" && text !== "false") throw new UsageError(`must be true or false, not "${text}"`);
    return text === "true";
  },
};

export const jsonObject: Kind<Record<string, unknown>> = {
  placeholder: "JSON",
  parse(text) {
    const value = parsedJson(text);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new UsageError("must be a JSON object, such as '{\"seats\": 12}'");
    return value as Record<string, unknown>;
  },
};

export function oneOf<const Choice extends string>(...choices: Choice[]): Kind<Choice> {
  return {
    placeholder: choices.join("|"),
    completion: choices,
    parse(text) {
      const choice = choices.find((known) => known === text);
      if (choice === undefined) throw new UsageError(`must be ${choices.join(", ")}, not "${text}"`);
      return choice;
    },
  };
}

export function named(placeholder: string, completion?: Completion): Kind<string> {
  return { ...anyText, placeholder, completion };
}

export function option(help: string): Option<string | undefined>;
export function option<Value>(help: string, kind: Kind<Value>): Option<Value | undefined>;
export function option(help: string, kind: Kind<unknown> = anyText): Option<unknown> {
  return { ...shapeOf(help, kind), read: (given) => (given.length === 0 ? undefined : kind.parse(last(given))) };
}

export function optionOr<Value>(help: string, fallback: Value & string, kind: Kind<Value>): Option<Value> {
  const shape = shapeOf(`${help} (default: ${fallback})`, kind);
  return { ...shape, read: (given) => (given.length === 0 ? fallback : kind.parse(last(given))) };
}

export function requiredOption(help: string): Option<string>;
export function requiredOption<Value>(help: string, kind: Kind<Value>): Option<Value>;
export function requiredOption(help: string, kind: Kind<unknown> = anyText): Option<unknown> {
  return {
    ...shapeOf(`${help} (required)`, kind),
    read(given) {
      if (given.length === 0) throw new UsageError("is needed");
      return kind.parse(last(given));
    },
  };
}

/** Undefined if absent. */
export function listOption<Value>(help: string, kind: Kind<Value>): Option<Value[] | undefined> {
  return {
    ...shapeOf(`${help}; may be repeated`, kind),
    read: (given) => (given.length === 0 ? undefined : given.map((text) => kind.parse(text))),
  };
}

type TagValue = string | number | boolean;

/** `--tag plan=gold --tag seats=12`; undefined if absent. */
export function tagsOption(help: string): Option<Record<string, TagValue> | undefined> {
  return pairsOption(`${help}; may be repeated`, "NAME=VALUE", tagValue);
}

/** `--meter requests=1000`; undefined if absent. */
export function amountsOption(help: string): Option<Record<string, number> | undefined> {
  return pairsOption(`${help}; may be repeated`, "METER=NUMBER", amount.parse);
}

/** Tags that must all match. */
export function tagFilterOption(help: string): Option<TagFilter | undefined> {
  return valuesByName(`${help}; may be repeated, all must match`, {
    placeholder: "NAME=VALUE",
    parse(text) {
      const [name, value] = pairOf(text, "NAME=VALUE");
      return [name, tagValue(value)];
    },
  });
}

/** Pairs whose name may be repeated: all its values are sent. Undefined if absent. */
export function valuesByName<Value>(
  help: string,
  { parse, placeholder }: Kind<readonly [name: string, value: Value]>,
): Option<Record<string, Value | [Value, ...Value[]]> | undefined> {
  return {
    help,
    placeholder,
    read(given) {
      if (given.length === 0) return undefined;
      const byName = Map.groupBy(given.map(parse), ([name]) => name);
      return Object.fromEntries(
        [...byName].map(([name, pairs]) => {
          const [value, ...more] = new Set(pairs.map(([, each]) => each));
          return [name, more.length === 0 ? value! : [value!, ...more]];
        }),
      );
    },
  };
}

export function pairsOption<Value>(
  help: string,
  placeholder: string,
  parse: (text: string) => Value,
): Option<Record<string, Value> | undefined> {
  return {
    help,
    placeholder,
    read: (given) =>
      given.length === 0
        ? undefined
        : recordOf(
            given.map((text) => pairOf(text, placeholder)),
            (_, text) => parse(text),
          ),
  };
}

function pairOf(text: string, placeholder: string): [string, string] {
  const middle = text.indexOf("=");
  if (middle < 1) throw new UsageError(`must be ${placeholder}, not "${text}"`);
  return [text.slice(0, middle), text.slice(middle + 1)];
}

/**
 * Throws if a name has two values. If the last one won, a command could change more than all conditions together allow.
 */
export function recordOf<Value>(
  pairs: [string, string][],
  parse: (name: string, text: string) => Value,
): Record<string, Value> {
  const texts = new Map<string, string>();
  for (const [name, text] of pairs) {
    const before = texts.get(name) ?? text;
    if (before !== text) throw new UsageError(`has two values for ${name}: "${before}" and "${text}"`);
    texts.set(name, text);
  }
  return Object.fromEntries([...texts].map(([name, text]) => [name, parse(name, text)]));
}

/** Numbers and booleans are recognized by their form; quotes make them text: `--tag 'zip="01234"'`. */
export function tagValue(text: string): TagValue {
  if (text === "true" || text === "false") return text === "true";
  if (text.trim() !== "" && String(Number(text)) === text) return Number(text);
  return /^".*"$/.test(text) ? text.slice(1, -1) : text;
}

function shapeOf(help: string, { placeholder, completion }: Kind<unknown>) {
  return { help, placeholder, completion };
}

function last(given: string[]): string {
  return given.at(-1)!;
}
