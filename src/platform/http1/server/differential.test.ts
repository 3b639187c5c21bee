import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import fc from "fast-check";
import { findProgram } from "../../../../test/support/find-program.ts";
import { HttpHeaders } from "../message/headers.ts";
import { HttpResponse } from "../message/http-response.ts";
import { HttpServer } from "./http-server.ts";

/** Both servers respond with this line, which describes what they parsed. */
const nodeServer = `
const server = require("node:http").createServer((request, response) => {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => response.end("<" + request.method + " " + Buffer.concat(pieces).toString("hex") + ">"));
  request.on("error", () => {});
});
// Each case half-closes the connection, so that a server never waits for more.
server.httpAllowHalfOpen = true;
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

let node: Bun.Subprocess<"ignore", "pipe", "inherit">;
let nodePort: number;
let ours: HttpServer;

beforeAll(async () => {
  node = Bun.spawn([findProgram("node"), "-e", nodeServer], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const { value } = await node.stdout.getReader().read();
  nodePort = Number(new TextDecoder().decode(value));
  ours = new HttpServer({
    address: { hostname: "127.0.0.1", port: 0 },
    now: () => 0,
    handle: async ({ method, body }) => {
      const bytes = (await body?.bytes(1_000_000)) ?? Buffer.alloc(0);
      return new HttpResponse(200, new HttpHeaders(), `<${method} ${bytes.toString("hex")}>`);
    },
    reject: ({ status }) => new HttpResponse(status),
    onError: () => new HttpResponse(400),
  });
});
afterAll(async () => {
  node.kill("SIGKILL");
  await node.exited;
  await ours.stop(0);
});

interface Parsed {
  requests: string[];
  isRejected: boolean;
}

/** A request that every server parses. Its position shows where the previous request ended. */
const sentinel = "\r\nGET /sentinel HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

function parse(port: number, message: string): Promise<Parsed> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () =>
      socket.end(Buffer.from(message + sentinel, "latin1")),
    );
    socket.on("data", (piece) => {
      text += piece.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("end", () => socket.destroy());
    socket.on("close", () =>
      resolve({
        requests: [...text.matchAll(/<([A-Za-z!-]+ [0-9a-f]*)>/g)].map((match) => match[1]!),
        isRejected: /HTTP\/1\.1 4\d\d /.test(text),
      }),
    );
  });
}

/** Requests that Node rejects and we accept, with the reason. */
const acceptedDifferences: { reason: string; matches(message: string): boolean }[] = [
  {
    reason: "Node knows a list of methods; RFC 9110 allows any token, and deployments decide which they serve",
    matches: (message) => /^(?:\r\n)?(?:FOO|get|X-Y!) /.test(message),
  },
  {
    reason: "after the last request of a connection Node rejects what follows; we respond, ignore it and close",
    matches: (message) => /^(?:\r\n)?[^\r\n]* HTTP\/1\.0|\nConnection: close/.test(message),
  },
  {
    reason: "Node rejects targets that are not ASCII; clients send raw UTF-8, and upstreams get the same bytes",
    matches: (message) => /^(?:\r\n)?[^\r\n]*\xfc[^\r\n]* HTTP/.test(message),
  },
];

/** The comparison ignores whether such a connection stays open for the sentinel. */
const isHttp10 = /^(?:\r\n)?[^\r\n]* HTTP\/1\.0/;

const often = <Value>(usual: Value, ...others: Value[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(usual, ...others) });

const lineEnd = fc.oneof(
  { weight: 30, arbitrary: fc.constant("\r\n") },
  fc.constantFrom("\n", "\r", "\r\r\n", " \r\n"),
);
const line = (text: fc.Arbitrary<string>) => fc.tuple(text, lineEnd).map((parts) => parts.join(""));

const startLine = fc
  .tuple(
    often("POST", "GET", "PUT", "DELETE", "OPTIONS", "FOO", "get", "X-Y!", "PO ST", "", "GET\t", "GET "),
    often("/", "/a?b=c", "*", "http://x/", "//", "/a b", "/\xfc", "/\0", "", "x", "/#f", "/a\tb"),
    often(
      "HTTP/1.1",
      "HTTP/1.0",
      "HTTP/1.2",
      "HTTP/2.0",
      "HTTP/0.9",
      "http/1.1",
      "HTTP/1.1 ",
      "HTTP/11",
      "HTTP/1,1",
      "",
    ),
  )
  .map((parts) => parts.join(" "));

const header = fc.oneof(
  fc.constantFrom(
    "Content-Length: 5",
    "Content-Length: 0",
    "Transfer-Encoding: chunked",
    "X: y",
    "X:",
    "X:\ty ",
    "X: \xfc",
  ),
  fc.constantFrom("Connection: close", "Connection: keep-alive", "X_y: 1", "!#$%&'*+-.^`|~: 1"),
  fc.constantFrom(
    "Content-Length: +5",
    "Content-Length: 5, 5",
    "Content-Length : 5",
    "Content-Length: 5 5",
    "Content-Length:",
  ),
  fc.constantFrom(
    "Content-Length: 0x5",
    "Content-Length: 05",
    "Content-Length: -1",
    "Content-Length: 99999999999999999999",
  ),
  fc.constantFrom("Transfer-Encoding: chunked, chunked", "Transfer-Encoding: identity", "Transfer-Encoding: gzip"),
  fc.constantFrom("Transfer-Encoding : chunked", "Transfer-Encoding:\x0bchunked", "Transfer-Encoding: Chunked"),
  fc.constantFrom(
    " folded",
    "\tfolded",
    "no colon",
    ": no name",
    "X y: z",
    "X: a\0b",
    "X: \x7f",
    "X\xfc: y",
    "Host: y",
    "(): x",
  ),
);

const chunk = fc
  .tuple(
    often(
      "5",
      "05",
      "5;a=b",
      '5;a="b"',
      "5;",
      "5 ",
      " 5",
      "0x5",
      "-5",
      "+5",
      "5\t",
      "g",
      "",
      "5;a b",
      "4",
      "6",
      "fffffffffffffffff",
    ),
    lineEnd,
    fc.constant("hello"),
    lineEnd,
  )
  .map((parts) => parts.join(""));
const chunked = fc
  .tuple(
    fc.array(chunk, { maxLength: 3 }),
    line(often("0", "00", "0;a", "", "0 ")),
    line(often("", "Trailer: x", "X y: z", "\0")),
  )
  .map(([chunks, last, trailer]) => chunks.join("") + last + trailer);

const message = fc
  .tuple(
    often("", "\r\n"),
    line(startLine),
    line(often("Host: x", "Host: x:80", "Host:", "Host: a b", "Host: x/y", "X: no host")),
    fc.array(line(header), { maxLength: 3 }),
    lineEnd,
    fc.oneof(fc.constantFrom("", "hello", "hello\r\n", "hell"), chunked),
  )
  .map(([before, start, host, headers, end, body]) => before + start + host + headers.join("") + end + body);

test("we reject requests that Node's HTTP server rejects, and bodies end at the same byte", async () => {
  await fc.assert(
    fc.asyncProperty(message, async (text) => {
      const [theirs, own] = await Promise.all([parse(nodePort, text), parse(ours.port, text)]);
      // Node drops the responses to earlier requests when it rejects a later one.
      if (theirs.isRejected)
        expect(own.isRejected || acceptedDifferences.some(({ matches }) => matches(text))).toBe(true);
      // Our server may be stricter: the requests that we parsed before the rejection must be those that Node parsed.
      else if (own.isRejected) expect(theirs.requests.slice(0, own.requests.length)).toEqual(own.requests);
      else if (isHttp10.test(text)) expect(own.requests[0]).toEqual(theirs.requests[0]);
      else expect(own.requests).toEqual(theirs.requests);
    }),
    { numRuns: 300 },
  );
});
