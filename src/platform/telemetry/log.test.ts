import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { until } from "../../../test/support/until.ts";
import { Log, type LogLevel, levels, redactPath, redactText, redactTexts } from "./log.ts";

const key = "tg_0123456789abcdef0123456789abcdef_7759b50e";

function newLog(level: LogLevel = "debug", readable = false) {
  const writes: string[] = [];
  const log = new Log({ level, readable, sink: { write: (text) => writes.push(text) } });
  const lines = () => {
    log.flush();
    return writes.join("").split("\n").slice(0, -1);
  };
  return { log, writes, lines };
}

describe("a line", () => {
  test("is one JSON object: time, level, message and fields", () => {
    const { log, lines } = newLog();
    log.info("request", { status: 200, path: "/v1", nothing: undefined, list: [1, { a: null }] });
    log.warn("no fields");
    const [first, second] = lines().map((line) => JSON.parse(line));
    expect(first).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: "info",
      msg: "request",
      status: 200,
      path: "/v1",
      list: [1, { a: null }],
    });
    expect(second).toEqual({ time: expect.any(String), level: "warn", msg: "no fields" });
  });

  test("is valid JSON on one line, whatever its text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.jsonValue(), (message, value) => {
        const { log, lines } = newLog();
        log.error(message, { value });
        expect(lines()).toHaveLength(1);
        expect(JSON.parse(lines()[0]!)).toMatchObject({ msg: message, value: JSON.parse(JSON.stringify(value)) });
      }),
    );
  });

  test("contains an error with its causes, and no key in them", () => {
    const { log, lines } = newLog();
    log.error("failed", { error: new Error(`outer ${key}`, { cause: new TypeError(`inner ${key}`) }) });
    log.warn("failed", { error: "only text" });
    const [first, second] = lines().map((line) => JSON.parse(line));
    expect(first.error).toMatch(/outer \[redacted\].*caused by TypeError: inner \[redacted\]/s);
    expect(second.error).toBe("only text");
  });

  test("is readable at a terminal: time, level, message, fields", () => {
    const { log, lines } = newLog("debug", true);
    log.warn("storage is unavailable", { name: "x", count: 2, nothing: undefined, error: new Error(key) });
    const plain = Bun.stripANSI(lines().join("\n"));
    expect(plain).toMatch(/^\d\d:\d\d:\d\d warn {2}storage is unavailable name=x count=2 error=Error: \[redacted\]/);
    expect(plain).not.toContain("nothing");
  });
});

test.each(levels)("at level %s, only that level and more severe ones are written", (level) => {
  const { log, lines } = newLog(level);
  for (const each of levels) log[each](each);
  expect(lines().map((line) => JSON.parse(line).msg)).toEqual(levels.slice(levels.indexOf(level)));
  expect(levels.filter((each) => log.logs(each))).toEqual(levels.slice(levels.indexOf(level)));
});

describe("writing", () => {
  test("lines are buffered for a moment and written together", async () => {
    const { log, writes } = newLog();
    for (let index = 0; index < 10; index++) log.info(`line ${index}`);
    expect(writes).toEqual([]);
    await until(() => writes.length > 0);
    expect(writes).toHaveLength(1);
    expect(writes[0]!.split("\n")).toHaveLength(11);
  });

  test("an error is written immediately, after the buffered lines", () => {
    const { log, writes } = newLog();
    log.info("before");
    log.error("now");
    expect(writes.join("")).toMatch(/"before".*\n.*"now".*\n$/);
  });

  test("very many lines are written immediately, because the buffer is bounded", () => {
    const { log, writes } = newLog();
    for (let index = 0; index < 1000; index++) log.info("line");
    expect(writes.length).toBeGreaterThan(1);
  });

  test("an empty buffer is not written", () => {
    const { log, writes } = newLog();
    log.flush();
    expect(writes).toEqual([]);
  });
});

describe("text in the format of a key or token", () => {
  test.each([
    [`/v1/keys/${key}`, "/v1/keys/[redacted]"],
    [`/v1/${key}/and/${key}`, "/v1/[redacted]/and/[redacted]"],
    [`"my-own_prefix${key.slice(2)}"`, '"[redacted]"'],
    ["/v1/accounts/default/key_0QGzNqW81Kx8VhTb3mPcRdZu", "/v1/accounts/default/key_0QGzNqW81Kx8VhTb3mPcRdZu"],
    ["no key at all", "no key at all"],
  ])("%s is written as %s", (text, redacted) => {
    expect(redactText(text)).toBe(redacted);
  });

  test("is found in any text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(redactText(before + key + after)).not.toContain(key.slice(3, 35));
      }),
    );
  });

  test("is found in every text of a value, and in names", () => {
    const value = { a: [key, { b: `see ${key}`, n: 5, t: true, z: null }], [key]: "c" };
    expect(redactTexts(value)).toEqual({
      a: ["[redacted]", { b: "see [redacted]", n: 5, t: true, z: null }],
      "[redacted]": "c",
    });
    expect(redactTexts(undefined)).toBeUndefined();
  });

  // A search that is quadratic in the text's length would take minutes.
  test("is searched for in linear time", () => {
    const worst = ["a_".repeat(200_000), `_${"a".repeat(400_000)}`, `_${"0".repeat(31)}`.repeat(12_000)];
    for (const text of worst) expect(redactText(text)).toBe(text);
  });
});

describe("segments of a path that may be a key are redacted", () => {
  const keys = "/v1/accounts/default/key-buckets/main/consumers/acme-production-eu/keys";
  test.each([
    ["/", "/"],
    ["/v1/who-am-i", "/v1/who-am-i"],
    ["/favicon.ico", "/favicon.ico"],
    [`${keys}/$bulk`, `${keys}/$bulk`],
    [`${keys}/key_0QGzNqW81Kx8VhTb3mPcRdZu`, `${keys}/key_0QGzNqW81Kx8VhTb3mPcRdZu`],
    [`${keys}/${key}`, `${keys}/[redacted]`],
    [`${keys}/My-Own-Key-0123456789/more`, `${keys}/[redacted]/more`],
    [`${keys}/with%20spaces%20and%20more`, `${keys}/[redacted]`],
    [`/${"x".repeat(129)}`, "/[redacted]"],
    [`//${key}//`, "//[redacted]//"],
  ])("%s is written as %s", (path, written) => {
    expect(redactPath(path)).toBe(written);
  });

  test("is redacted in linear time", () => {
    const plain = ["/a".repeat(200_000), "/a-b-c-d-e-f-g-h-i-j".repeat(20_000), "/".repeat(400_000)];
    for (const path of plain) expect(redactPath(`${path}/${"X".repeat(20)}`)).toBe(`${path}/[redacted]`);
    expect(redactPath(`/${"a".repeat(400_000)}`)).toBe("/[redacted]");
  });
});
