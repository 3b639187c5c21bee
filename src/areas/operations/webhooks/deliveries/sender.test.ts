import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../../../test/support/until.ts";
import { RawUpstream, responseText } from "../../../../../test/support/upstream.ts";
import { Egress } from "../../../../platform/egress/egress.ts";
import { WebhookSender } from "./sender.ts";

const message = { id: "msg_1", timestampSeconds: 1_700_000_000, signature: "v1,signed", body: '{"name":"Zoë"}' };
const { signal } = new AbortController();

describe("an attempt", () => {
  let upstream: RawUpstream;
  const sender = new WebhookSender(new Egress("any"));
  const hasty = new WebhookSender(new Egress("any"), 200);
  /** Gets the beginning of a response on a busy machine too. */
  const brief = new WebhookSender(new Egress("any"), 2_000);

  beforeAll(async () => {
    upstream = await RawUpstream.start(({ path, socket }) => {
      if (path === "/silent") return;
      if (path === "/endless") socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\nbeginning");
      else if (path === "/cut") socket.end();
      else if (path === "/nonsense") socket.end("nonsense\r\n\r\n");
      else if (path === "/large") socket.end(responseText("y".repeat(1_000_000)));
      else if (path === "/nul") socket.end(responseText("a\0b"));
      else socket.end(responseText("thanks"));
    });
  });
  afterAll(() => upstream.stop());

  const send = (path: string, by = sender) => by.send({ ...message, url: upstream.url + path }, signal);

  test("has the headers of Standard Webhooks and the body as UTF-8", async () => {
    expect(await send("/a?b=c")).toMatchObject({ status: 200, response: "thanks" });
    const { method, path, headers } = upstream.requests.at(-1)!;
    expect({ method, path, ...Object.fromEntries(headers) }).toMatchObject({
      method: "POST",
      path: "/a?b=c",
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(message.body)),
      "webhook-id": "msg_1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": "v1,signed",
    });
  });

  test.each<[path: string, expected: object, by: WebhookSender]>([
    ["/silent", { error: "no response within 0.2 s" }, hasty],
    ["/cut", { error: expect.stringMatching(/\S/) }, sender],
    ["/nonsense", { error: expect.stringMatching(/\S/) }, sender],
    ["/endless", { status: 200, response: "beginning" }, brief],
    ["/large", { status: 200, response: "y".repeat(4096) }, sender],
    ["/nul", { status: 200, response: "a\uFFFDb" }, sender],
  ])("of an endpoint that responds as %s does is a result, never an exception", async (path, expected, by) => {
    expect(await send(path, by)).toMatchObject(expected);
  });

  test("leaves no connection behind", async () => {
    const before = upstream.closed;
    await send("/silent", hasty);
    await send("/kept");
    await until(() => upstream.closed >= before + 2);
  });

  test("does not reach what the egress rules deny, also by a name", async () => {
    const strict = new WebhookSender(new Egress("public", { addresses: async () => ["127.0.0.1"] }), 200);
    const count = upstream.requests.length;
    const { port } = new URL(upstream.url);
    for (const url of [`http://rebound.example:${port}/`, upstream.url, "http://169.254.169.254/"])
      expect(await strict.send({ ...message, url }, signal)).toMatchObject({
        error: expect.stringContaining("TOLLGATE_EGRESS"),
      });
    expect(upstream.requests).toHaveLength(count);
  });
});
