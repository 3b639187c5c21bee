import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Client } from "./support/client.ts";
import { eachEngine, sqlite } from "./support/engines.ts";
import { newKeyHolder, verdict } from "./support/key-holder.ts";
import { account, adminToken, operatorToken } from "./support/server-settings.ts";
import { type LogLine, type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { until } from "./support/until.ts";

const suppliedKey = "A.Supplied+Key/of-my=own~making";

describe("the log of a server at debug level", () => {
  let server: SpawnedServer;
  let admin: Client;
  const secrets: string[] = [operatorToken, suppliedKey];

  beforeAll(async () => {
    server = await spawnServer(sqlite, { environment: { TOLLGATE_LOG: "debug", TOLLGATE_ADMIN_TOKEN: "" } });
    const shown = () => /tgt_[0-9a-f]{32}_[0-9a-f]{8}/.exec(server.errorOutput.join("\n"))?.[0];
    const firstToken = await until(shown);
    secrets.push(firstToken);
    admin = server.client.as(firstToken);
  });

  afterAll(() => server.stop());

  const linesOf = (requestId: string): Promise<LogLine[]> =>
    until(() => {
      const lines = server.log.filter((line) => line.requestId === requestId);
      return lines.some((line) => line.msg === "request") ? lines : undefined;
    });

  test("is one JSON object in each line, and nothing else", async () => {
    await admin.get("/v1/who-am-i", { "x-request-id": "one-json-object" });
    await linesOf("one-json-object");
    const logged = server.output.filter((line) => !server.errorOutput.includes(line));
    expect(logged).not.toBeEmpty();
    for (const line of logged) {
      expect(JSON.parse(line)).toMatchObject({
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        level: expect.stringMatching(/^(debug|info|warn|error)$/),
        msg: expect.stringMatching(/\S/),
      });
    }
  });

  test("logs each request with its id: the caller, the operation, the status and the duration", async () => {
    const { body: identity } = await admin.get("/v1/who-am-i");
    const path = `/v1/accounts/${account}/key-buckets/main/consumers`;
    const response = await admin.post(path, { name: "logged" }, { "x-request-id": "id-of-the-client" });
    expect(response.headers.get("x-request-id")).toBe("id-of-the-client");
    const lines = await linesOf("id-of-the-client");
    expect(lines.find((line) => line.msg === "request")).toMatchObject({
      level: "info",
      method: "POST",
      path,
      status: 200,
      ms: expect.any(Number),
      operation: "createConsumer",
      caller: identity.sub,
      account,
    });
    expect(lines.find((line) => line.level === "debug")).toMatchObject({ body: { name: "logged" } });
  });

  test("has an id for a request without one, or with an invalid one", async () => {
    for (const given of [undefined, "", "with spaces in it", "x".repeat(200)]) {
      const { headers } = await admin.get("/v1/who-am-i", given === undefined ? {} : { "x-request-id": given });
      const id = headers.get("x-request-id")!;
      expect(id).not.toBe(given);
      expect(await linesOf(id)).not.toBeEmpty();
    }
  });

  test("never contains a key, a token or an Authorization header, wherever they are sent", async () => {
    const { bucket, path, keys } = await newKeyHolder(admin);
    const { id, key } = (await admin.post(keys, {})).body;
    const { id: tokenId, token } = (await admin.post(`/v1/accounts/${account}/tokens`, { role: "editor" })).body;
    secrets.push(key, token);
    for (const made of (await admin.post(`${keys}/$bulk`, [{}, {}])).body.data) secrets.push(made.key);
    const consumer = { name: "second", apiKeys: [{ key: `${suppliedKey}-2` }] };
    secrets.push(
      (await admin.post(`${bucket}/consumers?with-api-key=true`, consumer, { "idempotency-key": "once" })).body
        .apiKeys[0].key,
    );

    for (const secret of [key, token, suppliedKey]) {
      const text = encodeURIComponent(secret);
      const send = (method: string, at: string, body?: string, headers?: Record<string, string>) =>
        admin.raw(method, at, body, headers);
      // In the correct place.
      await admin.as(secret).get(keys);
      await admin.post(keys, { key: secret });
      await admin.post(`${keys}/$bulk`, [{ key: `${secret}-bulk` }, { key: secret }]);
      await admin.patch(`${keys}/${id}`, { key: `${secret}-changed` });
      await admin.post(`${bucket}/verify-key`, { key: secret });
      await admin.get(`${keys}?key-format=visible`);
      // In the path, the query, a header, the wrong field.
      await send("GET", `${keys}/${text}`);
      await send("DELETE", `${keys}/${text}`);
      await send("GET", `/v1/accounts/${account}/tokens/${text}`);
      await send("GET", `/v1/${text}`);
      await send("GET", `/${text}`);
      await send("PUT", `${keys}/${text}`);
      await send("GET", `${keys}?key=${text}`);
      await send("GET", `${keys}?key-format=${text}`);
      await send("GET", `${keys}?limit=${text}`);
      await send("GET", `${path}?tag.key=${text}`);
      await send("GET", `${keys}?${text}`);
      await send("GET", keys, undefined, { authorization: `Basic ${btoa(secret)}` });
      await send("GET", keys, undefined, { authorization: secret });
      await send("GET", keys, undefined, { "x-api-key": secret, cookie: `key=${secret}` });
      await send("POST", keys, "{}", { "idempotency-key": secret, "if-match": secret });
      await send("POST", `${bucket}/verify-key`, JSON.stringify({ [secret]: secret }));
      await send("POST", `${bucket}/verify-key`, JSON.stringify([secret]));
      await send("POST", `${bucket}/consumers`, JSON.stringify({ name: secret }));
      await send("POST", keys, JSON.stringify({ expiresOn: secret }));
      // Not JSON at all.
      await send("POST", `${bucket}/verify-key`, `{"key":"${secret}"`);
      await send("POST", `${bucket}/verify-key`, `{"key":${secret}}`);
      await send("POST", `${bucket}/verify-key`, `{key:'${secret}'}`);
      await send("POST", `${bucket}/verify-key`, secret);
    }
    // A generated key is recognized by its format, even in free text.
    for (const secret of [key, token]) {
      await admin.patch(`${keys}/${id}`, { description: `was ${secret}` });
      await admin.patch(path, { description: secret, metadata: { note: `see ${secret}` }, tags: { old: secret } });
      await admin.get(`${bucket}/consumers?manager-email=${secret}`);
      await admin.get(keys, { "x-request-id": secret });
      await admin.get(`${bucket}/consumers/${secret}`);
    }
    await admin.post(`${path}/roll-key`, { expiresOn: "2000-01-01T00:00:00Z" });
    await admin.delete(`/v1/accounts/${account}/tokens/${tokenId}`);
    await admin.get("/v1/who-am-i", { "x-request-id": "the-last-request" });
    await linesOf("the-last-request");

    const [firstToken] = secrets.filter((secret) => server.errorOutput.join("\n").includes(secret));
    for (const secret of new Set(secrets)) {
      // Their last 8 characters may be shown; the first token is printed once at the first start.
      for (const text of [secret, encodeURIComponent(secret), btoa(secret), secret.slice(0, -8)]) {
        const showing = server.output.filter((line) => line.includes(text));
        expect(showing).toEqual(
          secret === firstToken && showing.length === 1 ? [expect.not.stringContaining("{")] : [],
        );
      }
    }
  });
});

test("at level info, requests are logged without their content", async () => {
  const server = await spawnServer(sqlite, { environment: { TOLLGATE_LOG: "info" } });
  await newKeyHolder(server.client, { name: "not-logged", metadata: { secret: "of the consumer" } });
  await until(() => server.log.some((line) => line.msg === "request"));
  expect(server.log.filter((line) => line.level === "debug")).toEqual([]);
  expect(server.output.join("\n")).not.toContain("of the consumer");
  await server.stop();
});

eachEngine((engine) => {
  test("/metrics has series of requests, caches, storage and revocation, and no key", async () => {
    const server = await spawnServer(engine);
    const { client } = server;
    const { bucket, keys } = await newKeyHolder(client);
    const { key } = (await client.post(keys, {})).body;
    for (let round = 0; round < 5; round++) await verdict(client, bucket, key);
    await client.get(`${keys}/key_none`);
    await client.get("/v1/nowhere");
    await client.anonymous().get(keys);

    const response = await fetch(`${server.url}/metrics`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
    const text = await response.text();
    const value = (series: string) => {
      const line = text.split("\n").find((each) => each.startsWith(`${series} `));
      return line === undefined ? undefined : Number(line.slice(series.length + 1));
    };
    expect(value('tollgate_requests_total{operation="verifyKey",status="200"}')).toBe(5);
    expect(value('tollgate_requests_total{operation="getKey",status="404"}')).toBe(1);
    expect(value('tollgate_requests_total{operation="listKeys",status="401"}')).toBe(1);
    expect(value('tollgate_requests_total{operation="unknown",status="404"}')).toBe(1);
    expect(value('tollgate_request_duration_seconds_count{operation="verifyKey"}')).toBe(5);
    expect(value('tollgate_request_duration_seconds_bucket{le="+Inf",operation="createKey"}')).toBe(1);
    expect(value('tollgate_cache_hits_total{cache="keys"}')).toBe(4);
    expect(value('tollgate_cache_misses_total{cache="keys"}')).toBe(1);
    expect(value('tollgate_cache_hits_total{cache="tokens"}')).toBeGreaterThan(0);
    expect(value('tollgate_cache_entries{cache="keys"}')).toBe(1);
    expect(value('tollgate_storage_duration_seconds_count{operation="query"}')).toBeGreaterThan(0);
    expect(value('tollgate_storage_duration_seconds_count{operation="write"}')).toBeGreaterThan(0);
    expect(value("tollgate_revocation_lag_seconds_count")).toBe(0);
    for (const secret of [key, adminToken]) expect(text).not.toContain(secret);
    await server.stop();
  });
});
