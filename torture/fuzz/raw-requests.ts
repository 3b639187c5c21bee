import { talk } from "../../test/support/raw-http.ts";
import type { Random } from "../random.ts";
import type { World } from "../world.ts";

const respondsWithinMs = 10_000;

/** Requests that no client library would send. Each is complete, or ends with its connection. */
function rawRequests({ account, tokens }: World): string[] {
  const path = `/v1/accounts/${account}/key-buckets/main/consumers`;
  const authorization = `Authorization: Bearer ${tokens.admin}`;
  const body = '{"name":"raw"}';
  const post = (...headers: string[]) =>
    [`POST ${path} HTTP/1.1`, "Host: x", authorization, ...headers, "Connection: close", "", body].join("\r\n");
  const get = (target: string, ...headers: string[]) =>
    [`GET ${target} HTTP/1.1`, "Host: x", authorization, ...headers, "Connection: close", "", ""].join("\r\n");
  return [
    get(`${path}/%zz`),
    get(`${path}/%`),
    get(`${path}/a\u0000b`),
    get(`${path}/\u00ff\u00fe`),
    get(`${path}?limit=%zz&%`),
    get(`${path}?${"a=b&".repeat(5_000)}`),
    get(`/${"a".repeat(20_000)}`),
    get(`${path}/../../../../etc/passwd`),
    get("//v1//accounts//"),
    get(`http://evil.example${path}`),
    get("*"),
    get(path, `X-Long: ${"x".repeat(20_000)}`),
    get(path, ...Array.from({ length: 300 }, (_, index) => `X-Many-${index}: x`)),
    get(path, "No colon at all"),
    get(path, "X-Nul: a\u0000b"),
    get(path, "Authorization: Bearer second"),
    get(path, "Transfer-Encoding: chunked", "Content-Length: 3"),
    get(path, "Expect: 200-ok"),
    get(path, "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"),
    get(path, "Range: bytes=0-0,-1"),
    post("Content-Length: abc"),
    post("Content-Length: -1"),
    post(`Content-Length: ${body.length}`, `Content-Length: ${body.length + 1}`),
    post("Transfer-Encoding: chunked", "X: y"),
    post("Transfer-Encoding: gzip, chunked"),
    `GET ${path}\r\n\r\n`,
    `GET ${path} HTTP/9.9\r\nHost: x\r\n\r\n`,
    `G\u0000T ${path} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `BREW ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    `PROPFIND ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    `TRACE ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n",
    `GET ${path} HTTP/1.1\r\n\r\n`,
    "\r\n\r\n\r\n",
    "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  ];
}

/** Sends one of them. The server must respond or close the connection soon, without a fault. */
export async function sendRaw(serverUrl: string, world: World, random: Random): Promise<void> {
  const request = random.pick(rawRequests(world));
  const port = Number(new URL(serverUrl).port);
  const received = talk(port, request, (text) => text.includes("\r\n\r\n"));
  const { text } = await Promise.race([received, Bun.sleep(respondsWithinMs).then(() => ({ text: "silence" }))]);
  // 501 and 505: the request is not valid in HTTP/1.1.
  const isFault = /^HTTP\/1\.1 5(?!01|05)/.test(text);
  if (isFault || text === "silence")
    throw new Error(`${JSON.stringify(request.slice(0, 300))} got ${JSON.stringify(text.slice(0, 500))}`);
}
