import { beforeAll, describe, expect, test } from "bun:test";
import { type DeployedModels, useModels } from "../../../test/support/models-gateway.ts";
import type { ProblemCode } from "../../core/problems/catalogue.ts";
import { type RejectionOptions, reject } from "../exchange/rejection.ts";

/** What the policy `rejects` does with the next request. */
let rejection: [ProblemCode, RejectionOptions?] | undefined;

const rejects = () => ({
  enter: (context: Parameters<typeof reject>[0]) => rejection && reject(context, ...rejection),
});

const models = useModels({ policies: { rejects } });
let deployed: DeployedModels;

beforeAll(async () => {
  deployed = await models.deploy({ policies: { rejects } });
});

const versioned = { "anthropic-version": "2023-06-01" };

interface Received {
  type?: string;
  error: { code: string };
  data: { id: string }[];
}

async function outcome(response: Response) {
  return { status: response.status, body: (await response.json()) as Received, headers: response.headers };
}

describe("a rejection has the shape of the operation's API", () => {
  const openAi = (code: string, type: string) => ({
    error: { message: expect.any(String), type, param: null, code },
  });
  const anthropic = (code: string, type: string) => ({
    type: "error",
    error: { type, message: expect.any(String), code },
    request_id: expect.any(String),
  });

  test.each<[ProblemCode, RejectionOptions, number, string, string, Record<string, string | null>]>([
    [
      "rate_limited",
      { retryAfterSeconds: 7 },
      429,
      "rate_limit_error",
      "rate_limit_error",
      { "retry-after": "7", "x-should-retry": null },
    ],
    [
      "concurrency_exceeded",
      {},
      429,
      "rate_limit_error",
      "rate_limit_error",
      { "retry-after": "1", "x-should-retry": null },
    ],
    [
      "quota_exceeded",
      { retryAfterSeconds: 900 },
      429,
      "insufficient_quota",
      "rate_limit_error",
      { "retry-after": null, "x-should-retry": "false" },
    ],
    ["payment_required", {}, 402, "insufficient_quota", "billing_error", {}],
    ["credit_exhausted", {}, 402, "insufficient_quota", "billing_error", {}],
    ["spend_cap_reached", {}, 402, "insufficient_quota", "billing_error", {}],
    [
      "key_missing",
      { headers: { "www-authenticate": 'Bearer realm="x"' } },
      401,
      "authentication_error",
      "authentication_error",
      { "www-authenticate": 'Bearer realm="x"' },
    ],
    ["permission_missing", {}, 403, "permission_error", "permission_error", {}],
    ["storage_unavailable", { retryAfterSeconds: 1 }, 503, "server_error", "overloaded_error", { "retry-after": "1" }],
  ])("%s", async (code, options, status, openAiType, anthropicType, headers) => {
    rejection = [code, options];
    try {
      const body = { model: "small" };
      for (const [response, expected] of [
        [await deployed.post("chat/completions", body), openAi(code, openAiType)],
        [await deployed.post("responses", body, versioned), openAi(code, openAiType)],
        [await deployed.post("messages", body), anthropic(code, anthropicType)],
        [await deployed.post("messages/count_tokens", body), anthropic(code, anthropicType)],
        [await deployed.fetch("models"), openAi(code, openAiType)],
        [await deployed.fetch("models", { headers: versioned }), anthropic(code, anthropicType)],
        [await deployed.fetch("models/small", { headers: versioned }), anthropic(code, anthropicType)],
      ] as const) {
        const got = await outcome(response);
        expect(got.status).toBe(status);
        expect<unknown>(got.body).toEqual(expected);
        expect(got.headers.get("content-type")).toBe("application/json");
        expect(got.headers.get("x-request-id")).not.toBeNull();
        for (const [name, value] of Object.entries(headers))
          expect([name, got.headers.get(name)]).toEqual([name, value]);
      }
      expect(models.gateway.requests.at(-1)).toMatchObject({ code, status });
      expect(models.provider.requests).toEqual([]);
    } finally {
      rejection = undefined;
    }
  });

  test("the text about the quota does not mention Retry-After", async () => {
    rejection = ["quota_exceeded", { retryAfterSeconds: 900 }];
    const { body } = await outcome(await deployed.post("chat/completions", { model: "small" }));
    rejection = undefined;
    expect(JSON.stringify(body)).not.toContain("Retry-After");
  });
});

test("official clients do not retry an exceeded quota, and do retry a rate limit", async () => {
  const before = () => models.gateway.requests.length;
  const calls = async (maxRetries: number) => {
    const from = before();
    await deployed
      .openAi(maxRetries)
      .chat.completions.create({ model: "small", messages: [] })
      .catch(() => {});
    await deployed
      .anthropic(maxRetries)
      .messages.create({ model: "claude", messages: [], max_tokens: 1 })
      .catch(() => {});
    return before() - from;
  };
  rejection = ["quota_exceeded", { retryAfterSeconds: 100_000 }];
  expect(await calls(2)).toBe(2);
  rejection = ["rate_limited", { headers: { "retry-after-ms": "1" }, retryAfterSeconds: 1 }];
  expect(await calls(1)).toBe(4);
  rejection = undefined;
});

describe("paths", () => {
  test("paths that are no operations are 404, other methods 405, in the shape of the API", async () => {
    for (const path of [
      "files",
      "completions",
      "chat",
      "chat/completions/id",
      "Chat/Completions",
      "audio/speech",
      "batches",
      "messages/batches",
    ]) {
      for (const method of ["GET", "POST", "DELETE"]) {
        const { status, body } = await outcome(await deployed.fetch(path, { method }));
        expect([path, status, body.error.code]).toEqual([path, 404, "no_such_route"]);
        expect(body.type).toBe(path.startsWith("messages") ? "error" : undefined);
      }
    }
    const { status, body, headers } = await outcome(await deployed.fetch("chat/completions"));
    expect([status, body.error.code, headers.get("allow")]).toEqual([405, "method_not_allowed", "POST, OPTIONS"]);
    const posted = await outcome(await deployed.post("models", {}));
    expect([posted.status, posted.body.error.code]).toEqual([405, "method_not_allowed"]);
    expect((await deployed.fetch("messages", { method: "DELETE" })).status).toBe(405);
    expect(models.provider.requests).toEqual([]);
  });
});

describe("models", () => {
  const granted = { "x-permissions": "models:*" };

  test("are the aliases that the key may use", async () => {
    const ids = async (headers: Record<string, string>) => {
      const { status, body } = await outcome(await deployed.fetch("models", { headers }));
      expect(status).toBe(200);
      return body.data.map(({ id }) => id);
    };
    expect(await ids({})).toEqual(["small", "embed", "claude"]);
    expect(await ids(granted)).toEqual(["small", "embed", "claude", "secret"]);
    expect(await ids(versioned)).toEqual(["small", "embed", "claude"]);
    const one = await outcome(await deployed.fetch("models/small"));
    expect<unknown>(one.body).toEqual({ id: "small", object: "model", created: 0, owned_by: "system" });
    for (const id of ["secret", "missing", "gpt-real"]) {
      const { status, body } = await outcome(await deployed.fetch(`models/${id}`));
      expect([id, status, body.error.code]).toEqual([id, 404, "model_not_found"]);
    }
    expect((await deployed.fetch("models/secret", { headers: granted })).status).toBe(200);
  });

  test("models that the key may not use do not exist for it", async () => {
    const rejected = await outcome(await deployed.post("chat/completions", { model: "secret" }));
    const missing = await outcome(await deployed.post("chat/completions", { model: "secreT" }));
    expect([rejected.status, missing.status]).toEqual([404, 404]);
    expect(JSON.stringify(rejected.body).replace("secret", "secreT")).toBe(JSON.stringify(missing.body));
    expect(rejected.body.error).toMatchObject({
      code: "model_not_found",
      param: "model",
      type: "invalid_request_error",
    });
    expect(models.provider.requests).toEqual([]);
    expect((await deployed.post("chat/completions", { model: "secret" }, granted)).status).toBe(200);
    expect(models.provider.last.body.model).toBe("gpt-secret");
  });

  test("in the official clients", async () => {
    const listed: string[] = [];
    for await (const { id } of deployed.openAi().models.list()) listed.push(id);
    for await (const { id, display_name } of deployed.anthropic().models.list()) listed.push(`${id} ${display_name}`);
    expect(listed).toEqual(["small", "embed", "claude", "small small", "embed embed", "claude claude"]);
    expect((await deployed.anthropic().models.retrieve("claude")).id).toBe("claude");
  });
});
