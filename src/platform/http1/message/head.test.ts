import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { outgoing } from "../output/outgoing.ts";
import { HeadParser } from "./head.ts";
import { HttpHeaders } from "./headers.ts";
import { NameSet } from "./name-set.ts";
import { ProtocolError } from "./protocol-error.ts";

const bytesOf = (head: string) => Buffer.from(`${head}\r\n\r\n`, "latin1");
const parseRequestHead = (head: string) => new HeadParser().request(bytesOf(head), 0)!;

const lines = (...all: string[]) => all.join("\r\n");
const get = (...headers: string[]) => parseRequestHead(lines("GET /x HTTP/1.1", "Host: a", ...headers));

describe("targets", () => {
  test.each([
    ["/", "/"],
    ["/a/b?c=d/../e", "/a/b?c=d/../e"],
    ["/a/../b?x", "/b?x"],
    ["/a/./b", "/a/b"],
    ["/a/%2E%2e/b", "/b"],
    ["/../../etc", "/etc"],
    ["/a/..\\b", "/b"],
    ["/a/...", "/a/..."],
    ["/a#/../b", "/a"],
    ["//a//b", "//a//b"],
    ["http://a/b?c", "/b?c"],
    ["HTTP://A", "/"],
    ["http://a:80?b", "/?b"],
  ])("%s is %s", (target, expected) => {
    expect(parseRequestHead(lines(`GET ${target} HTTP/1.1`, "Host: a")).target).toBe(expected);
  });

  test("an absolute URI names the host where no header does", () => {
    const { headers } = parseRequestHead("GET http://other:8080/a HTTP/1.0");
    expect(headers.get("host")).toBe("other:8080");
  });

  test.each([
    ["http://other/a", "a"],
    ["http://a:8080/a", "a"],
    ["http://a/a", "a:8080"],
    ["https://a/a", "a:80"],
    ["http://user@a/a", "a"],
    ["http://a:/a", "a:99"],
  ])("%s with the Host %s is rejected", (target, host) => {
    expect(() => parseRequestHead(lines(`GET ${target} HTTP/1.1`, `Host: ${host}`))).toThrow(ProtocolError);
  });

  test.each(["a", "A.b-c.example.", "a_b:8080", "127.0.0.1", "[::1]:80", "a:", "a:65535", "xn--bcher-kva.example"])(
    "the Host %s is taken",
    (host) => {
      expect(parseRequestHead(lines("GET / HTTP/1.1", `Host: ${host}`)).headers.get("host")).toBe(host);
    },
  );

  test.each([
    "",
    "a b",
    "a:65536",
    "[::1]:99999",
    "a,b",
    "a/b",
    "a@b",
    "a?b",
    "a:b",
    "a:1:2",
    "::1",
    "[a",
    ".a",
    "a..b",
    "a%20b",
    "ü",
    "<a>",
    `${"a".repeat(300)}`,
  ])("the Host %j is rejected", (host) => {
    for (const version of ["HTTP/1.0", "HTTP/1.1"])
      expect(() => parseRequestHead(lines(`GET / ${version}`, `Host: ${host}`))).toThrow(ProtocolError);
  });

  test("* is for OPTIONS alone", () => {
    expect(parseRequestHead(lines("OPTIONS * HTTP/1.1", "Host: a")).target).toBe("*");
    expect(() => parseRequestHead(lines("GET * HTTP/1.1", "Host: a"))).toThrow(ProtocolError);
    expect(() => parseRequestHead(lines("CONNECT a:443 HTTP/1.1", "Host: a"))).toThrow(ProtocolError);
  });
});

describe("heads that two servers could parse differently are rejected", () => {
  test.each([
    ["GET /x HTTP/1.1"],
    ["GET /x HTTP/2.0\r\nHost: a"],
    ["GET /x HTTP/1.1 \r\nHost: a"],
    ["GET  /x HTTP/1.1\r\nHost: a"],
    ["GET /x y HTTP/1.1\r\nHost: a"],
    ["G ET /x HTTP/1.1\r\nHost: a"],
    ["G(T /x HTTP/1.1\r\nHost: a"],
    ["GET /x\0 HTTP/1.1\r\nHost: a"],
    ["GET x HTTP/1.1\r\nHost: a"],
    ["GET /x HTTP/1.1\nHost: a"],
    ["GET /x HTTP/1.1\r\nHost: a\r\nHost: b"],
    ["GET /x HTTP/1.1\r\nHost: a\r\nX : 1"],
    ["GET /x HTTP/1.1\r\nHost: a\r\nX: 1\r"],
    ["GET /x HTTP/1.1\r\nHost: a\r\nX: 1\n"],
    ["GET /x HTTP/1.1\r\nHost: a\r\n X: 1"],
    ["GET /x HTTP/1.1\r\nHost: a\r\nX: 1\r\n folded"],
    ["GET /x HTTP/1.1\r\nHost: a\r\nX: 1\nY: 2"],
    ["GET /x HTTP/1.1\r\nHost: a\r\nX: 1\rY: 2"],
    ["GET /x HTTP/1.1\r\nHost: a\r\nX: \x07"],
    ["GET /x HTTP/1.1\r\nHost: a\r\nX"],
    ["GET /x HTTP/1.1\r\nHost: a\r\n: 1"],
    ["GET /x HTTP/1.1\r\nHost: a\r\nÜ: 1"],
  ])("%j", (head) => {
    expect(() => parseRequestHead(head)).toThrow(ProtocolError);
  });
});

describe("the length of a request's body", () => {
  test.each([
    [[], 0],
    [["Content-Length: 0"], 0],
    [["content-length: 17"], 17],
    [["Transfer-Encoding: chunked"], "chunked"],
    [["transfer-encoding: Chunked"], "chunked"],
  ] as const)("%j: %p", (headers, framing) => {
    expect(get(...headers).framing).toBe(framing);
  });

  test.each([
    [["Content-Length: -1"]],
    [["Content-Length: +1"]],
    [["Content-Length: 1e3"]],
    [["Content-Length: 0x10"]],
    [["Content-Length: 1 2"]],
    [["Content-Length:"]],
    [["Content-Length: 5", "Content-Length: 5"]],
    [["Content-Length: 5", "Content-Length: 6"]],
    [["Content-Length: 5, 5"]],
    [["Content-Length: 99999999999999999"]],
    [["Content-Length: 5", "Transfer-Encoding: chunked"]],
    [["Transfer-Encoding: gzip, chunked"]],
    [["Transfer-Encoding: chunked, chunked"]],
    [["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]],
    [["Transfer-Encoding: identity"]],
    [["Transfer-Encoding: xchunked"]],
    [["Transfer-Encoding:"]],
  ])("%j is rejected", (headers) => {
    expect(() => get(...headers)).toThrow(ProtocolError);
  });

  test("a chunked body from an HTTP/1.0 client is rejected", () => {
    const head = lines("POST /x HTTP/1.0", "Transfer-Encoding: chunked");
    expect(() => parseRequestHead(head)).toThrow(ProtocolError);
  });
});

describe("responses", () => {
  const response = (method: string, ...all: string[]) => new HeadParser().response(method, bytesOf(lines(...all)))!;

  test.each([
    ["GET", ["HTTP/1.1 200 OK"], "until close"],
    ["GET", ["HTTP/1.1 200 OK", "content-length: 5"], 5],
    ["HEAD", ["HTTP/1.1 200 OK", "content-length: 5"], 0],
    ["GET", ["HTTP/1.1 204 No Content"], 0],
    ["GET", ["HTTP/1.1 304 Not Modified", "content-length: 5"], 0],
    ["GET", ["HTTP/1.0 200", "transfer-encoding: chunked"], "chunked"],
  ] as const)("%s %j: %p", (method, head, framing) => {
    expect(response(method, ...head).framing).toBe(framing);
  });

  test.each([
    ["HTTP/1.1 20 OK"],
    ["HTTP/2 200"],
    ["200 OK"],
    ["HTTP/1.1 999999 OK"],
    ["HTTP/1.1 099 No"],
    ["HTTP/1.1 1e2 No"],
  ])("%j is rejected", (head) => {
    expect(() => response("GET", head)).toThrow(ProtocolError);
  });
});

test.each([
  [undefined, false, true],
  [undefined, true, false],
  ["close", false, false],
  ["Close", false, false],
  ["x, close", false, false],
  ["x-close", false, true],
  ["keep-alive", true, true],
  ["Keep-Alive", false, true],
])("Connection: %p, HTTP/1.0 %p: keep-alive %p", (connection, isHttp10, expected) => {
  const first = `GET /x HTTP/1.${isHttp10 ? 0 : 1}`;
  const more = connection === undefined ? [] : [`Connection: ${connection}`];
  expect(parseRequestHead(lines(first, "Host: a", ...more)).keepAlive).toBe(expected);
});

test("any valid headers are parsed as they were serialized", () => {
  const name = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}$/).filter((text) => text.toLowerCase() !== "host");
  const value = fc.stringMatching(/^[\x21-\x7e\x80-\xff]{0,10}( [\x21-\x7e\x80-\xff]{1,10})?$/);
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value), { maxLength: 20 }), (pairs) => {
      const written = new HttpHeaders(pairs);
      const head = `GET / HTTP/1.1\r\nhost: a\r\n${linesOf(written)}`.slice(0, -2);
      const { headers } = parseRequestHead(head);
      expect([...headers]).toEqual([
        ["host", "a"],
        ...pairs.map(([one, two]) => [one.toLowerCase(), two.replace(/^ +/, "")] as [string, string]),
      ]);
    }),
  );
});

describe("a head that a connection repeats", () => {
  let parser: HeadParser;
  const request = (...all: string[]) => parser.request(bytesOf(lines(...all)), 0)!;
  const response = (method: string, ...all: string[]) => parser.response(method, bytesOf(lines(...all)))!;

  beforeEach(() => {
    parser = new HeadParser();
  });

  test("is parsed the same at any offset, and changes to one result do not affect the next", () => {
    const head = lines("GET /a HTTP/1.1", "Host: a", "X: 1");
    const first = request(head);
    first.headers.set("x", "2");
    first.headers.delete("host");
    for (const target of ["/a", "/b"]) {
      const bytes = Buffer.from(`\r\n${head.replace("/a", target)}\r\n\r\nwhat follows`);
      const again = parser.request(bytes, 2)!;
      expect(again.target).toBe(target);
      expect(bytes.toString("latin1", 2 + again.size)).toBe("what follows");
      expect([...again.headers]).toEqual([
        ["host", "a"],
        ["x", "1"],
      ]);
    }
  });

  test("is parsed only when it is complete, even if it begins like the last one", () => {
    const head = bytesOf(lines("GET /a HTTP/1.1", "Host: a", "X: 1"));
    for (const _ of [1, 2]) {
      for (let length = 0; length < head.length; length++)
        expect(parser.request(head.subarray(0, length), 0)).toBeUndefined();
      expect(parser.request(head, 0)?.headers.get("x")).toBe("1");
    }
    expect(request("GET /a HTTP/1.1", "Host: a", "X: 12").headers.get("x")).toBe("12");
    expect(request("GET /a HTTP/1.1", "Host: a").headers.get("x")).toBe(null);
    expect(response("HEAD", "HTTP/1.1 200 OK", "content-length: 5").framing).toBe(0);
    expect(response("GET", "HTTP/1.1 200 OK", "content-length: 5").framing).toBe(5);
  });

  test("is parsed as on a connection of its own, whichever lines it has in common with those before", () => {
    const values = ["", "1", "1 ", " 1", "12", "a:b", "\x01", "1\r", "1\n", "1\nY: 2"];
    const line = fc
      .tuple(
        fc.constantFrom("X", "x", "Y", "X-Y", "X ", ""),
        fc.constantFrom(": ", ":", ""),
        fc.constantFrom(...values),
      )
      .map((parts) => parts.join(""));
    const first = fc.constantFrom(
      "GET / HTTP/1.1\r\nHost: a",
      "GET /longer?b=c HTTP/1.1\r\nHost: a",
      "GET /\n HTTP/1.1\r\nHost: a",
      "GET / HTTP/1.1\nHost: a",
      "GET http://b/ HTTP/1.0",
      "GET http://c/ HTTP/1.0",
    );
    const head = fc
      .tuple(first, fc.oneof(fc.constant([]), fc.array(line, { maxLength: 4 })))
      .map(([start, rest]) => lines(start, ...rest));
    const heads = fc.array(head, { minLength: 2, maxLength: 6 });
    const parse = (one: HeadParser, text: string) => {
      try {
        const { headers, ...rest } = one.request(bytesOf(text), 0)!;
        return { headers: [...headers], ...rest };
      } catch (error) {
        return error instanceof ProtocolError ? error.message : Promise.reject(error);
      }
    };
    fc.assert(
      fc.property(heads, (all) => {
        parser = new HeadParser();
        for (const text of all) expect(parse(parser, text)).toEqual(parse(new HeadParser(), text));
      }),
      { numRuns: 2_000 },
    );
  });

  test("is rejected again if it was rejected, also with an invalid first line and valid headers", () => {
    for (const _ of [1, 2]) expect(() => request("GET /a HTTP/1.1", "Host: a", "X : 1")).toThrow(ProtocolError);
    request("GET /a HTTP/1.1", "Host: a");
    for (const first of ["GET /a\x01 HTTP/1.1", "G\x01T /a HTTP/1.1", "GET /a\n HTTP/1.1", "GET /a\r HTTP/1.1"])
      expect(() => request(first, "Host: a")).toThrow(ProtocolError);
    response("GET", "HTTP/1.1 200 OK", "X: 1");
    expect(() => response("GET", "HTTP/1.1 200 O\nK", "X: 1")).toThrow(ProtocolError);
  });
});

test.each([
  [2047, true],
  [2048, true],
  [32 * 1024, true],
  [32 * 1024 + 1, false],
])("a head of %p bytes is accepted: %p", (size, isRead) => {
  const start = lines("GET / HTTP/1.1", "Host: a", "X: ");
  const head = bytesOf(start + "x".repeat(size - start.length - 4));
  expect(head.length).toBe(size);
  if (isRead) expect(new HeadParser().request(head, 0)?.size).toBe(size);
  else expect(() => new HeadParser().request(head, 0)).toThrow("too large");
});

function linesOf(headers: HttpHeaders): string {
  outgoing.begin("");
  headers.write(new NameSet());
  return outgoing.memory.toString("latin1", outgoing.start, outgoing.end);
}

describe("headers", () => {
  test("headers that are repeated are joined by get, and forwarded as separate lines", () => {
    const headers = new HttpHeaders([
      ["Set-Cookie", "a=1"],
      ["x", "1"],
      ["set-cookie", "b=2"],
    ]);
    expect(headers.get("set-cookie")).toBe("a=1, b=2");
    expect(linesOf(headers)).toBe("set-cookie: a=1\r\nx: 1\r\nset-cookie: b=2\r\n");
    headers.set("Set-Cookie", "c=3");
    expect([...headers]).toEqual([
      ["set-cookie", "c=3"],
      ["x", "1"],
    ]);
    headers.delete("SET-COOKIE");
    expect([...headers.keys()]).toEqual(["x"]);
  });

  test.each([
    ["x", "a\r\ny: b"],
    ["x", "a\nb"],
    ["x", "a\0"],
    ["x", "→"],
    ["x y", "a"],
    ["", "a"],
    ["x:", "a"],
  ])("%j: %j cannot be set", (name, value) => {
    const headers = new HttpHeaders();
    expect(() => headers.set(name, value)).toThrow(ProtocolError);
    expect(() => headers.append(name, value)).toThrow(ProtocolError);
    expect([...headers]).toEqual([]);
  });

  test("headers that are shared can be read, changed and forwarded as if each message had its own", () => {
    const shared = new HttpHeaders({ "x-one": "1", "x-two": "2" });
    const texts = [];
    for (const change of [
      () => {},
      (headers: HttpHeaders) => headers.set("x-two", "3"),
      (headers: HttpHeaders) => headers.delete("x-one"),
      (headers: HttpHeaders) => headers.deleteWhere((name) => name === "a"),
      (headers: HttpHeaders) => headers.share(new HttpHeaders({ "x-two": "4" })),
      (headers: HttpHeaders) => {
        headers.append("x-two", "5");
        expect(headers.get("x-two")).toBe("2, 5");
      },
    ]) {
      const headers = new HttpHeaders({ a: "0" });
      headers.share(shared);
      expect([headers.get("x-one"), headers.has("x-two"), headers.count("x-one")]).toEqual(["1", true, 1]);
      change(headers);
      texts.push(linesOf(headers));
      expect(linesOf(headers.copy())).toBe(linesOf(headers));
      expect([...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("")).toBe(linesOf(headers));
    }
    expect(texts).toEqual([
      "a: 0\r\nx-one: 1\r\nx-two: 2\r\n",
      "a: 0\r\nx-one: 1\r\nx-two: 3\r\n",
      "a: 0\r\nx-two: 2\r\n",
      "x-one: 1\r\nx-two: 2\r\n",
      "a: 0\r\nx-one: 1\r\nx-two: 4\r\n",
      "a: 0\r\nx-one: 1\r\nx-two: 2\r\nx-two: 5\r\n",
    ]);
    expect(linesOf(shared)).toBe("x-one: 1\r\nx-two: 2\r\n");
    const own = new HttpHeaders({ "x-two": "own" });
    own.share(shared);
    expect(linesOf(own)).toBe("x-two: 2\r\nx-one: 1\r\n");
    outgoing.begin("");
    const some = new HttpHeaders();
    some.share(shared);
    some.write(new NameSet("x-one"));
    expect(outgoing.memory.toString("latin1", outgoing.start, outgoing.end)).toBe("x-two: 2\r\n");
  });
});
