import { beforeAll, describe, expect, test } from "bun:test";
import { strangerOf } from "../../../test/support/callers.ts";
import type { Client } from "../../../test/support/client.ts";
import { eachEngine, sqlite } from "../../../test/support/engines.ts";
import { exchangedToken } from "../../../test/support/exchanged-token.ts";
import { expectProblem } from "../../../test/support/expect-problem.ts";
import { IdentityProvider, newSigningKey } from "../../../test/support/identity-provider.ts";
import { McpMessages } from "../../../test/support/mcp-messages.ts";
import { joined } from "../../../test/support/people.ts";
import { useServer } from "../../../test/support/server.ts";
import { account, adminToken, operatorToken } from "../../../test/support/server-settings.ts";

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;
const inMain = { bucketName: "main" };

const tokenOf = async (admin: Client, role: string) =>
  (await admin.post(`/v1/accounts/${account}/tokens`, { role })).body.token as string;

/** What a client sends after the person has decided. */
const decided = (asked: { result: { requestState: string } }, confirm: unknown = true, action = "accept") => ({
  requestState: asked.result.requestState,
  inputResponses: { confirm: { action, content: { confirm } } },
});

const keyShown = /tg_[0-9a-f]{32}_[0-9a-f]{8}/;

describe("without writes", () => {
  // What is read does not depend on the engine.
  const server = useServer(sqlite);
  const { client } = server;
  const messages = new McpMessages(() => `${server.url}/mcp`);
  const admin = messages.with({ token: adminToken });
  let keyId: string;

  beforeAll(async () => {
    const { body } = await client.post(consumers, { name: "acme", apiKeys: [{}] });
    keyId = body.apiKeys[0].id;
  });

  test("has the two tools of mode search, in every revision", async () => {
    for (const revision of ["2026-07-28", "2025-11-25", "2025-06-18"] as const) {
      const { status, result } = await admin.with({ revision }).send("tools/list");
      expect(status).toBe(200);
      expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(["search", "call"]);
    }
  });

  test("needs a token; neither none, nor a session, nor another scheme is enough", async () => {
    const { cookie } = await joined(client, { email: "ada@acme.example", role: "admin" });
    const { headers, body, status } = await messages.with({ headers: { cookie } }).send("tools/list");
    expect({ status, code: body.code }).toEqual({ status: 401, code: "unauthenticated" });
    expect(body.detail).toContain("Browser sessions are not accepted");
    expect(headers.get("www-authenticate")).toStartWith("Bearer");
    for (const authorization of ["Basic YTpi", "Bearer nonsense"])
      expect((await messages.with({ headers: { authorization } }).send("tools/list")).status).toBe(401);
    expect((await messages.send("tools/list")).status).toBe(401);
    // A session beside a token changes nothing.
    const both = await messages.with({ headers: { cookie }, token: await tokenOf(client, "reader") }).call("whoAmI");
    expect(both.value.role).toBe("reader");
  });

  test("pages of other origins, GET and DELETE are rejected", async () => {
    const foreign = await admin.with({ headers: { origin: "https://evil.example" } }).send("tools/list");
    expect({ status: foreign.status, code: foreign.body.code }).toEqual({ status: 403, code: "origin_mismatch" });
    expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
    expect((await admin.with({ headers: { origin: server.url } }).send("tools/list")).status).toBe(200);
    const authorization = `Bearer ${adminToken}`;
    for (const method of ["GET", "DELETE"]) {
      const response = await fetch(`${server.url}/mcp`, { method, headers: { authorization } });
      expect({ status: response.status, allow: response.headers.get("allow") }).toEqual({ status: 405, allow: "POST" });
    }
    const preflight = await fetch(`${server.url}/mcp`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect(preflight.status).toBe(403);
  });

  test("a message that is too large is 413", async () => {
    const { status } = await admin.call("listConsumers", { ...inMain, q: "x".repeat(1024 * 1024) });
    expect(status).toBe(413);
  });

  test("keys are masked, and their values cannot be asked for", async () => {
    const listed = await admin.call("listKeys", { ...inMain, consumerName: "acme" });
    expect(listed.result.isError).toBeUndefined();
    expect(listed.value).toMatchObject({ limit: 50, total: 1, data: [{ id: keyId }] });
    expect(listed.value.data[0].key).toStartWith("****");
    expect(listed.result.structuredContent).toEqual(listed.value);
    const asked = await admin.call("getKey", { ...inMain, consumerName: "acme", keyId, "key-format": "visible" });
    expect(asked.result.isError).toBe(true);
    expect(asked.value).toContain("key-format");
    const whole = await admin.call("getConsumer", { ...inMain, consumerName: "acme", "include-api-keys": true });
    expect(JSON.stringify([listed.body, asked.body, whole.body])).not.toMatch(keyShown);
    expect(whole.value.apiKeys).toHaveLength(1);
  });

  test("the account is that of the token, and another one is 404", async () => {
    await strangerOf(client, "other");
    const own = await admin.call("getAccount");
    expect(own.value.name).toBe(account);
    const other = await admin.call("getAccount", { accountName: "other" });
    expect(other.result.isError).toBe(true);
    expect(other.value).toContain("404");
    // The operator has no account of its own.
    const operator = messages.with({ token: operatorToken });
    expect((await operator.call("getAccount")).value).toContain("accountName is required");
    expect((await operator.call("getAccount", { accountName: "other" })).value.name).toBe("other");
  });

  test("search and call have what the role permits", async () => {
    const found = async (token: string, query: string) =>
      (await messages.with({ token }).search(query, 20)).value.operations.map(
        ({ operationId }: { operationId: string }) => operationId,
      );
    const verifier = await tokenOf(client, "verifier");
    const reader = await tokenOf(client, "reader");
    expect(await found(verifier, "list consumers")).not.toContain("listConsumers");
    expect(await found(reader, "list consumers")).toContain("listConsumers");
    expect(await found(reader, "tokens")).not.toContain("listTokens");
    expect(await found(adminToken, "tokens")).toContain("listTokens");
    for (const [token, operationId] of [
      [verifier, "listConsumers"],
      [reader, "listTokens"],
      [adminToken, "getSystemStatus"],
      [adminToken, "createToken"],
      [adminToken, "noSuchOperation"],
    ]) {
      const { body } = await messages.with({ token }).call(operationId!, inMain);
      expect(body.error).toMatchObject({ code: -32602, message: `Unknown tool: ${operationId}` });
    }
  });

  test("a token that is limited to a project finds and calls what is about the project", async () => {
    const key = await newSigningKey("ci");
    const provider = await IdentityProvider.start([key]);
    const exchanged = await exchangedToken({ server, provider, key, fields: { project: "shop" } });
    await provider.stop();
    const limited = messages.with({ token: exchanged.token });
    const { value } = await limited.search("list", 20);
    const found = value.operations.map(({ operationId }: { operationId: string }) => operationId);
    expect(found).toContain("listDeployments");
    expect(found).not.toContain("listConsumers");
    expect((await limited.call("listConsumers", inMain)).body.error.code).toBe(-32602);
    const own = await limited.call("listDeployments", { projectName: "shop" });
    expect(own.value).toMatchObject({ data: [] });
    const other = await limited.call("listDeployments", { projectName: "bank" });
    expect(other.result.isError).toBe(true);
    expect(other.value).toContain("403");
  });

  test("writes are neither found nor callable", async () => {
    const { value } = await admin.search("roll key", 20);
    expect(JSON.stringify(value)).not.toContain('"rollKey"');
    const { result, value: text } = await admin.call("deleteConsumer", { ...inMain, consumerName: "acme" });
    expect(result.isError).toBe(true);
    expect(text).toContain("TOLLGATE_MCP_WRITES=1");
    expect((await client.get(`${consumers}/acme`)).status).toBe(200);
  });

  test("parameters cannot leave their segment, and unknown arguments are rejected", async () => {
    for (const consumerName of ["..", "../keys", "a/../../b", "."]) {
      const { result } = await admin.call("getConsumer", { ...inMain, consumerName });
      expect({ consumerName, isError: result.isError }).toEqual({ consumerName, isError: true });
    }
    const encoded = await admin.call("getConsumer", { ...inMain, consumerName: "acme%2f..%2f" });
    expect(encoded.value).toContain("404");
    const unknown = await admin.call("getConsumer", { ...inMain, consumerName: "acme", authorization: "Bearer x" });
    expect(unknown.value).toContain("There is no argument authorization");
  });

  test("a result above 256 KiB is an error that says what to do", async () => {
    for (let at = 0; at < 20; at += 1) {
      const metadata = { text: "x".repeat(15_000) };
      expect((await client.post(consumers, { name: `large-${at}`, metadata })).status).toBe(200);
    }
    const { result, value } = await admin.call("listConsumers", { ...inMain, q: "large-" });
    expect(result.isError).toBe(true);
    expect(value).toContain("Ask for less");
    const few = await admin.call("listConsumers", { ...inMain, q: "large-", limit: 2 });
    expect(few.value.data).toHaveLength(2);
  });

  test("a revoked and an expired token are 401", async () => {
    const { body } = await client.post(`/v1/accounts/${account}/tokens`, { role: "reader" });
    const caller = messages.with({ token: body.token });
    expect((await caller.call("whoAmI")).status).toBe(200);
    await client.delete(`/v1/accounts/${account}/tokens/${body.id}`);
    expect((await caller.call("whoAmI")).status).toBe(401);
    const { body: short } = await client.post(`/v1/accounts/${account}/tokens`, {
      role: "reader",
      expiresOn: server.clock.iso(1000),
    });
    server.clock.advance(2000);
    const expired = await messages.with({ token: short.token }).call("whoAmI");
    expect({ status: expired.status, code: expired.body.code }).toEqual({ status: 401, code: "token_expired" });
  });

  test("failed credentials are limited like those of the API", async () => {
    const guess = messages.with({ token: "guess" });
    const statuses = await Promise.all(Array.from({ length: 110 }, () => guess.send("tools/list")));
    expect(statuses.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    expectProblem(await client.as("guess").get("/v1/who-am-i"), 429, "too_many_failures");
    expect((await admin.send("tools/list")).status).toBe(200);
  });
});

describe("with workers and a public address", () => {
  const server = useServer(sqlite, { workers: 2, environment: { TOLLGATE_PUBLIC_URL: "https://manage.example" } });
  const messages = new McpMessages(() => `${server.url}/mcp`);
  const admin = messages.with({ token: adminToken });

  test("is served at the hosts of the management API only", async () => {
    const own = { host: "manage.example", origin: "https://manage.example" };
    expect((await admin.with({ headers: own }).call("whoAmI")).value.role).toBe("admin");
    expect((await admin.with({ headers: { host: "evil.example" } }).send("tools/list")).status).toBe(421);
    const foreign = { host: "manage.example", origin: "https://evil.example" };
    expect((await admin.with({ headers: foreign }).send("tools/list")).status).toBe(403);
    expect((await messages.send("tools/list")).status).toBe(401);
  });
});

eachEngine((engine) => {
  const server = useServer(engine, { environment: { TOLLGATE_MCP_WRITES: "1" } });
  const { client, clock } = server;
  const messages = new McpMessages(() => `${server.url}/mcp`, { token: adminToken });
  const named = messages.with({ client: { name: "claude-code", version: "2.1.0" } });
  let count = 0;

  const newConsumer = async () => {
    const name = `customer-${++count}`;
    const { body } = await client.post(consumers, { name, apiKeys: [{}] });
    return { ...inMain, consumerName: name, id: body.id as string };
  };
  const keysOf = async (name: string) => (await client.get(`${consumers}/${name}/keys`)).body.total as number;

  test("a write happens after the person has confirmed the request that is sent", async () => {
    const { id, ...consumer } = await newConsumer();
    const given = { ...consumer, expiresOn: clock.iso() };
    const asked = await named.call("rollKey", given);
    expect(asked.result.resultType).toBe("input_required");
    const { method, params } = asked.result.inputRequests.confirm;
    expect(method).toBe("elicitation/create");
    expect(params.message).toContain("Roll a consumer's keys");
    expect(params.message).toContain(`POST ${consumers}/${consumer.consumerName}/roll-key`);
    expect(params.message).toContain(`"expiresOn": "${given.expiresOn}"`);
    expect(await keysOf(consumer.consumerName)).toBe(1);

    const done = await named.call("rollKey", given, decided(asked));
    expect(done.result.isError).toBeUndefined();
    expect(done.value).toContain(`${consumers}/${consumer.consumerName}/keys/key_`);
    expect(await keysOf(consumer.consumerName)).toBe(2);
    expect(JSON.stringify(done.body)).not.toMatch(keyShown);

    const { body } = await client.get(`/v1/accounts/${account}/audit-log?resource=${id}&action=key.rolled`);
    expect(body.data).toMatchObject([{ actor: { type: "token" }, assistant: "claude-code 2.1.0" }]);

    // The same confirmation again returns the first response, and changes nothing.
    expect((await named.call("rollKey", given, decided(asked))).value).toBe(done.value);
    expect(await keysOf(consumer.consumerName)).toBe(2);
  });

  test("a confirmation of a change that is not a POST is used once too", async () => {
    const { id, ...consumer } = await newConsumer();
    const given = { ...consumer, description: "by the assistant" };
    const asked = await messages.call("updateConsumer", given);
    expect((await messages.call("updateConsumer", given, decided(asked))).value.description).toBe("by the assistant");
    await client.patch(`${consumers}/${consumer.consumerName}`, { description: "by a colleague" });
    const again = await messages.call("updateConsumer", given, decided(asked));
    expect(again.result.isError).toBeUndefined();
    expect((await client.get(`${consumers}/${consumer.consumerName}`)).body.description).toBe("by a colleague");
    const { body } = await client.get(`/v1/accounts/${account}/audit-log?resource=${id}&action=consumer.updated`);
    expect(body.data.map(({ assistant }: { assistant?: string }) => assistant)).toEqual([undefined, "unknown"]);
  });

  test("nothing else confirms: a decline, another value, other arguments, another caller, an old or a changed state", async () => {
    const { id, ...consumer } = await newConsumer();
    const given = { ...consumer, expiresOn: clock.iso() };
    const asked = await messages.call("rollKey", given);
    for (const decision of [
      decided(asked, true, "decline"),
      decided(asked, true, "cancel"),
      decided(asked, false),
      decided(asked, "true"),
    ]) {
      const { result, value } = await messages.call("rollKey", given, decision);
      expect({ isError: result.isError, value }).toEqual({
        isError: true,
        value: "The person did not confirm it. Nothing was changed.",
      });
    }
    const other = await tokenOf(client, "admin");
    const { requestState } = asked.result;
    const wrong = [
      await messages.call("rollKey", { ...given, expiresOn: clock.iso(1000) }, decided(asked)),
      await messages.call("deleteConsumer", consumer, decided(asked)),
      await messages.with({ token: other }).call("rollKey", given, decided(asked)),
      await messages.call("rollKey", given, decided({ result: { requestState: `${requestState.slice(0, -4)}AAAA` } })),
      await messages.call("rollKey", given, decided({ result: { requestState: "x" } })),
    ];
    for (const { body } of wrong) expect(body.error).toMatchObject({ code: -32602 });
    clock.advance(10 * 60 * 1000);
    const expired = await messages.call("rollKey", given, decided(asked));
    expect(expired.result.resultType).toBe("input_required");
    // A response to a question that was not asked.
    const early = await messages.call("rollKey", given, { inputResponses: decided(asked).inputResponses });
    expect(early.result.resultType).toBe("input_required");
    expect(await keysOf(consumer.consumerName)).toBe(1);
  });

  test("without elicitation, and in older revisions, nothing can be changed", async () => {
    const { id, ...consumer } = await newConsumer();
    const given = { ...consumer, expiresOn: clock.iso() };
    const silent = messages.with({ capabilities: {} });
    for (const caller of [silent, messages.with({ capabilities: { elicitation: { url: {} } } })]) {
      const { body, status } = await caller.call("rollKey", given);
      expect({ status, code: body.error.code }).toEqual({ status: 400, code: -32021 });
    }
    expect(JSON.stringify((await silent.search("roll key", 20)).value)).not.toContain('"rollKey"');
    expect(JSON.stringify((await messages.search("roll key", 20)).value)).toContain('"rollKey"');
    for (const revision of ["2025-11-25", "2025-06-18"] as const) {
      const { result, value } = await messages.with({ revision }).call("rollKey", given);
      expect(result.isError).toBe(true);
      expect(value).toContain("2026-07-28");
    }
    expect(await keysOf(consumer.consumerName)).toBe(1);
  });

  test("a reader is asked nothing, and a credential is no argument", async () => {
    const { id, ...consumer } = await newConsumer();
    const reader = messages.with({ token: await tokenOf(client, "reader") });
    const { body } = await reader.call("deleteConsumer", consumer);
    expect(body.error.code).toBe(-32602);
    const { body: listed } = await client.get(`${consumers}/${consumer.consumerName}/keys`);
    const keyId = listed.data[0].id;
    const key = "mine_0123456789abcdef0123456789abcdef";
    const { result, value } = await messages.call("updateKey", { ...consumer, keyId, key });
    expect(result.isError).toBe(true);
    expect(value).toContain("There is no argument key");
  });

  test("what a person cannot read is not confirmed", async () => {
    const { id, ...consumer } = await newConsumer();
    const hidden = await messages.call("updateConsumer", { ...consumer, description: "a\u202eb\u200bc" });
    expect(hidden.result.inputRequests.confirm.params.message).toContain("a\\u{202e}b\\u{200b}c");
    const long = await messages.call("updateConsumer", { ...consumer, metadata: { text: "x".repeat(10_000) } });
    expect(long.result.isError).toBe(true);
    expect(long.value).toContain("too long for a person to confirm");
  });
});
