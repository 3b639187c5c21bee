import { expect, test } from "bun:test";
import fc from "fast-check";
import { applyEdits, memberOf, setMember } from "./edit-json.ts";
import { InvalidJson, type JsonValue, parseJson } from "./parse-json.ts";

const walked = { members: new Set(["walked"]), free: new Set(["free"]) };
/** Runs all steps. */
function parseBytes(bytes: Uint8Array): JsonValue {
  const steps = parseJson(bytes, walked);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
const parse = (text: string) => parseBytes(Buffer.from(text));

/** JSON with blanks between its tokens, and names and texts with escapes. */
const blank = fc.constantFrom("", "", " ", "\n\t", "\r\n ");
const quoted = fc.string({ unit: "binary", maxLength: 12 }).chain((text) =>
  fc.boolean().map((isEscaped) => {
    const plain = JSON.stringify(text.toWellFormed());
    if (!isEscaped) return plain;
    const units = [...JSON.parse(plain)].flatMap((each: string) =>
      [...Array(each.length).keys()].map((at) => each.charCodeAt(at)),
    );
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
  }),
);
const scalar = fc.oneof(
  quoted,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("true", "false", "null", "-0", "1E+2"),
);
const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, scalar, tie("list"), tie("object")),
  list: fc
    .tuple(fc.array(tie("value"), { maxLength: 4 }), blank)
    .map(([items, space]) => `[${space}${items.join(`${space},`)}${space}]`),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(quoted, tie("value")), { maxLength: 4, selector: ([name]) => JSON.parse(name) }),
      blank,
    )
    .map(
      ([members, space]) =>
        `{${members.map(([name, each]) => `${space}${name}${space}:${space}${each}${space}`).join(",")}}`,
    ),
}));

test("an edit changes only the edited member", () => {
  const names = fc.constantFrom("walked", "model", "free", "a", '"', "é\u0000");
  const members = fc.uniqueArray(fc.tuple(names, value), { minLength: 1, selector: ([name]) => name });
  fc.assert(
    fc.property(members, names, value, blank, (all, name, replacement, space) => {
      const memberTexts = all.map(([each, json]) => `${JSON.stringify(each)}${space}:${space}${json}`);
      const text = `${space}{${space}${memberTexts.join(`${space},`)}}${space}`;
      const bytes = Buffer.from(text);
      const root = parse(text);
      const edited = applyEdits(bytes, [setMember(root, name, replacement)]).toString();
      const at = all.findIndex(([each]) => each === name);
      const written = `${JSON.stringify(name)}:${replacement},`;
      const expected =
        at === -1
          ? text.replace("{", () => `{${written}`)
          : text.replace(memberTexts[at]!, () => `${JSON.stringify(name)}${space}:${space}${replacement}`);
      expect(edited).toBe(expected);
      const before = JSON.parse(text);
      expect(JSON.parse(edited)).toEqual({ ...before, [name]: JSON.parse(replacement) });
      for (const [each, json] of all) {
        const member = memberOf(root, each)!.value;
        expect(bytes.toString("utf8", member.start, member.end)).toBe(json);
      }
    }),
  );
});

test("several edits do not disturb each other", () => {
  const text = '{"b":[1,2],"walked":{"x":1},"a":"é"}';
  const root = parse(text);
  const options = memberOf(root, "walked")!.value;
  const edits = [
    setMember(root, "a", '"ü"'),
    setMember(root, "n", "1"),
    setMember(options, "y", "2"),
    setMember(root, "b", "null"),
    setMember(root, "m", "2"),
  ];
  expect(applyEdits(Buffer.from(text), edits).toString()).toBe('{"n":1,"m":2,"b":null,"walked":{"y":2,"x":1},"a":"ü"}');
});

test("accepts what JSON.parse accepts, and nothing else", () => {
  const accepts = (text: string) => {
    try {
      parse(text);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidJson);
      return false;
    }
  };
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const damage = fc.tuple(
    value,
    fc.nat(),
    fc.constantFrom(
      "",
      ",",
      '"',
      "}",
      "]",
      "{",
      "[",
      "\\",
      "\u0001",
      "0",
      "-",
      ".",
      "e",
      "/",
      "'",
      "\ufeff",
      "\u00a0",
      "t",
    ),
  );
  fc.assert(
    fc.property(damage, fc.boolean(), ([text, position, inserted], removes) => {
      const at = position % (text.length + 1);
      const damaged = text.slice(0, at) + inserted + text.slice(at + (removes ? 1 : 0));
      if (damaged.isWellFormed()) expect([damaged, accepts(damaged)]).toEqual([damaged, isJson(damaged)]);
    }),
    { numRuns: 2000 },
  );
  for (const text of [
    "",
    " ",
    "01",
    "1.",
    ".5",
    "+1",
    "1e",
    "--1",
    "nul",
    "truee",
    '"\t"',
    '"\\x"',
    '"\\u12g4"',
    "[1,]",
    "{,}",
    '{"a"}',
    "NaN",
    "Infinity",
    "1 2",
  ])
    expect([text, accepts(text)]).toEqual([text, false]);
  const wide = JSON.stringify("é€😀".repeat(400_000));
  for (const begin of ["", " ", "  ", "   "]) expect(parse(begin + wide).kind).toBe("string");
  const cut = Buffer.from(wide);
  cut[1024 * 1024] = 0x20;
  cut[1024 * 1024 + 1] = 0xff;
  expect(() => parseBytes(cut)).toThrow("is not UTF-8");
  expect(() => parseBytes(Buffer.from([0x22, 0xff, 0x22]))).toThrow("is not UTF-8");
  expect(() => parseBytes(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))).toThrow("is not UTF-8");
});

test("bounds the depth, names, numbers, blanks, members and the values that it keeps", () => {
  expect(() => parse("[".repeat(100_000))).toThrow("has more than 200 levels");
  expect(() => parse(`{"walked":[${"{},".repeat(300_000)}{}]}`)).toThrow("has more than 100000 values");
  const members = (count: number) => `{${Array.from({ length: count }, (_, at) => `"${at}":0`).join(",")}}`;
  expect(() => parse(members(1_001))).toThrow("more than 1000 members");
  expect(() => parse(`{"walked":${members(1_001)}}`)).toThrow("more than 1000 members");
  expect(parse(`{"other":${members(100_000)}}`).count).toBe(1);
  for (const text of [`{"${"n".repeat(5_000)}":0}`, `{"other":{"${"\\u0061".repeat(1_000)}":0}}`])
    expect(() => parse(text)).toThrow("a name of more than 4096 bytes");
  expect(() => parse("1".repeat(5_000))).toThrow("a number of more than 4096 digits");
  expect(() => parse(`[1,${" ".repeat(5_000)}2]`)).toThrow("more than 4096 blanks");
  const long = `"${"\\u0061\\n".repeat(100_000)}é"`;
  expect(parse(`{"walked":[${long}],"a":${long}}`).end).toBe(2 * Buffer.byteLength(long) + 18);
  expect(parse(`{"other":[${"{},".repeat(300_000)}{}]}`).kind).toBe("object");
});
