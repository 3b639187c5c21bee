import { describe, expect, test } from "bun:test";
import { type Command, defineCommand } from "./command.ts";
import { parseCommandLine } from "./parse.ts";
import {
  amountsOption,
  argument,
  flag,
  integer,
  oneOf,
  option,
  optionalArgument,
  tagsOption,
  tagValue,
  time,
} from "./values.ts";

const command: Command = defineCommand({
  summary: "",
  arguments: { consumer: argument("who"), note: optionalArgument("what") },
  options: {
    limit: option("", integer),
    keyFormat: option("", oneOf("none", "masked")),
    tag: tagsOption(""),
    meter: amountsOption(""),
    follow: flag("", "f"),
  },
  examples: {},
  run: async () => undefined,
});

const parse = (...words: string[]) => parseCommandLine(command, words);

describe("a command line", () => {
  test("takes arguments and options in any order; the last value of an option wins", () => {
    expect(parse("--limit", "3", "acme", "-f", "--key-format=masked", "--limit=4", "--", "--json")).toEqual({
      consumer: "acme",
      note: "--json",
      limit: 4,
      keyFormat: "masked",
      tag: undefined,
      meter: undefined,
      follow: true,
    });
  });

  test("takes repeated pairs", () => {
    expect(parse("a", "--tag", "plan=gold", "--tag", "a=b=c", "--meter", "requests=1.5")).toMatchObject({
      tag: { plan: "gold", a: "b=c" },
      meter: { requests: 1.5 },
    });
  });

  test.each([
    [[], "<consumer> is missing: who"],
    [[""], "<consumer> must not be empty"],
    [["a", ""], "<note> must not be empty"],
    [["a", "b", "c"], '"c" is an unexpected argument: the command takes <consumer> <note>.'],
    [["a", "--limt", "1"], "There is no option --limt; did you mean --limit?"],
    [["a", "--zzzzzzzz"], "There is no option --zzzzzzzz."],
    [["a", "-l", "1"], "There is no option -l; did you mean --limit?"],
    [["a", "-z"], "There is no option -z."],
    [["a", "--limit"], "--limit needs a value: --limit NUMBER"],
    [["a", "--limit", "--follow"], "--limit needs a value; one that begins with a dash is written --limit=--follow"],
    [["a", "--limit", "many"], '--limit must be a whole number, not "many"'],
    [["a", "--follow=yes"], "--follow takes no value."],
    [["a", "--key-format", "all"], '--key-format must be none, masked, not "all"'],
    [["a", "--tag", "gold"], '--tag must be NAME=VALUE, not "gold"'],
    [["a", "--tag", "plan=gold", "--tag", "plan=free"], '--tag has two values for plan: "gold" and "free"'],
    [["a", "--meter", "requests=x"], '--meter must be a number, not "x"'],
  ])("%j is rejected: %s", (words, message) => {
    expect(() => parse(...words)).toThrow(message);
  });
});

test("tags are parsed as numbers, booleans or text", () => {
  expect(["gold", "12", "-1.5", "true", "01234", '"12"', "1e3", ""].map(tagValue)).toEqual([
    "gold",
    12,
    -1.5,
    true,
    "01234",
    "12",
    "1e3",
    "",
  ]);
});

test("times are absolute or relative to now", () => {
  expect(time.parse("2030-01-31T10:00:00+01:00")).toBe("2030-01-31T09:00:00.000Z");
  const now = Date.parse(time.parse("now"));
  const days = (text: string) => Math.round((Date.parse(time.parse(text)) - now) / 86_400_000);
  expect([days("30d"), days("+48h"), days("-7d"), days("0m")]).toEqual([30, 2, -7, 0]);
  for (const text of ["2030-01-31", "soon", "30 days", "5w", ""])
    expect(() => time.parse(text)).toThrow("must be a time");
});
