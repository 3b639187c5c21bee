import fc from "fast-check";

const deep = 5_000;

/** Names and values that have broken programs before. */
const hostileTexts: string[] = [
  "",
  " ",
  ".",
  "..",
  "../../etc/passwd",
  "..%2f..%2fetc%2fpasswd",
  "\u0000",
  "a\u0000b",
  "\u0001\u001b[31m",
  "\ud800",
  "a\udfffb",
  "\ufeffbom",
  "\u202egnp.exe",
  "é",
  "e\u0301",
  "ﷺ".repeat(40),
  "👩‍👩‍👧‍👦".repeat(20),
  "Z̸̢̛͚̮͔".repeat(30),
  "İstanbul",
  "ß",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "true",
  "NaN",
  "-0",
  "0x10",
  "1e309",
  "9007199254740993",
  "-1",
  "%",
  "%zz",
  "%00",
  "%c0%af",
  "%ff",
  "+",
  "&",
  "a=b&c=d",
  ";",
  "' OR '1'='1",
  '"; DROP TABLE consumers; --',
  "$bulk",
  "{consumerName}",
  "$(id)",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "2026-02-30T00:00:00Z",
  "2026-01-01",
  "2026-01-01T00:00:00+99:99",
  "-271821-04-20T00:00:00Z",
  "+275760-09-13T00:00:00.001Z",
  "9999-12-31T23:59:60Z",
  "0000-01-01T00:00:00Z",
  "a".repeat(129),
  "a".repeat(10_000),
];

const numbers = [0, -0, -1, 0.1, 1e-9, 1e-10, 1.5, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 1e21, 1e308, -1e308, 5e-324];

/** Parsed, so that it is a member of its own. */
const withPrototypeMember = JSON.parse('{"__proto__": {"role": "admin"}, "constructor": {"prototype": {"x": 1}}}');

export const hostileText = fc.constantFrom(...hostileTexts);

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(
    ...numbers,
    true,
    false,
    null,
    [],
    {},
    [[]],
    [null],
    { a: { b: { c: [] } } },
    withPrototypeMember,
  ),
  fc.constantFrom<unknown>(Array(2_000).fill(0), nested(60), "x".repeat(20_000)),
  fc.jsonValue({ maxDepth: 3 }),
);

function nested(depth: number): unknown {
  return depth === 0 ? 1 : { a: nested(depth - 1) };
}

/** Bodies that are not JSON, or unusual JSON. */
export const hostileBody = fc.constantFrom(
  "",
  " ",
  "{",
  "}",
  "[}",
  "nul",
  "\u0000",
  "{\u0000}",
  '{"a":1}{"b":2}',
  '{"name":"a","name":"b"}',
  '{"name":"\\ud800"}',
  '{"name":"\\u0000"}',
  '{"max":1e999}',
  '{"max":-1e999}',
  '{"a":1,}',
  "{'a':1}",
  "<xml/>",
  "name=acme",
  "\ufeff{}",
  '{"__proto__":{"name":"polluted"}}',
  '{"constructor":{"prototype":{"name":"polluted"}}}',
  `${"[".repeat(deep)}${"]".repeat(deep)}`,
  `${'{"a":'.repeat(deep)}1${"}".repeat(deep)}`,
  `[${"0,".repeat(50_000)}0]`,
  `"${"x".repeat(1024 * 1024 + 1)}"`,
  `{"name":"${"y".repeat(200_000)}"}`,
  "0",
  '"text"',
  "true",
  "null",
);
