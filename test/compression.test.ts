import { beforeAll, describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { sqlite } from "./support/engines.ts";
import { useServer } from "./support/server.ts";
import { adminToken } from "./support/server-settings.ts";

const server = useServer(sqlite);
let plan: string;

/** A response as it was sent. */
async function send(path: string, headers: Record<string, string> = {}, init: RequestInit = {}) {
  const response = await fetch(server.url + path, {
    ...init,
    headers: { authorization: `Bearer ${adminToken}`, ...headers },
    decompress: false,
  });
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

const gzip = { "accept-encoding": "br, gzip;q=0.8" };

beforeAll(async () => {
  const bucket = await server.client.post("/v1/metering", {});
  const meters = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`meter-${index}`, { max: 1 }]));
  const created = await server.client.post(`/v1/metering/${bucket.body.id}/plans`, {
    label: "Gold",
    planExternalId: "gold",
    meters,
  });
  plan = `/v1/metering/${bucket.body.id}/plans/${created.body.id}`;
});

describe("a large response", () => {
  test("is compressed if the client accepts it, and is otherwise the same", async () => {
    const plain = await send(plan, { "accept-encoding": "identity" });
    const small = await send(plan, gzip);
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(small.headers.get("content-encoding")).toBe("gzip");
    expect(small.body.length).toBeLessThan(plain.body.length / 4);
    expect(gunzipSync(small.body).toString()).toBe(plain.body.toString());
    for (const { headers } of [plain, small]) expect(headers.get("vary")).toBe("accept-encoding");
  });

  test.each(["gzip;q=0", "br", "gzip; q=0.0, br"])("is not compressed with Accept-Encoding %s", async (encoding) => {
    const { headers } = await send(plan, { "accept-encoding": encoding });
    expect(headers.get("content-encoding")).toBeNull();
  });

  test("has the length of the compressed body for HEAD", async () => {
    const { body } = await send(plan, gzip);
    const head = await send(plan, gzip, { method: "HEAD" });
    expect(head.headers.get("content-length")).toBe(String(body.length));
    expect(head.headers.get("content-encoding")).toBe("gzip");
  });

  test("has an ETag of its own, which If-None-Match and If-Match accept", async () => {
    const plain = (await send(plan, { "accept-encoding": "identity" })).headers.get("etag")!;
    const small = (await send(plan, gzip)).headers.get("etag")!;
    expect(small).not.toBe(plain);
    for (const etag of [plain, small]) {
      expect((await send(plan, { ...gzip, "if-none-match": etag })).status).toBe(304);
      expect((await send(plan, { "accept-encoding": "identity", "if-none-match": etag })).status).toBe(304);
    }
    const patch = { method: "PATCH", body: JSON.stringify({ label: "Silver" }) };
    expect((await send(plan, { ...gzip, "if-match": small }, patch)).status).toBe(200);
    expect((await send(plan, { ...gzip, "if-match": small }, patch)).status).toBe(412);
    expect((await send(plan, { ...gzip, "if-none-match": small })).status).toBe(200);
  });
});

test("responses that can contain keys, and small ones, are not compressed", async () => {
  const consumers = "/v1/accounts/default/key-buckets/compressed/consumers";
  expect((await server.client.post(consumers, { name: "acme" })).status).toBe(200);
  const items = Array.from({ length: 20 }, (_, index) => ({ description: `key ${index}` }));
  const keys = await send(`${consumers}/acme/keys/$bulk`, gzip, { method: "POST", body: JSON.stringify(items) });
  expect([keys.status, keys.body.length > 1024]).toEqual([200, true]);
  expect([keys.headers.get("content-encoding"), keys.headers.get("vary")]).toEqual([null, null]);
  const small = await send("/v1/who-am-i", gzip);
  expect([small.headers.get("content-encoding"), small.headers.get("vary")]).toEqual([null, null]);
});
