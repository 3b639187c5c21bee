import { beforeEach, describe, expect, test } from "bun:test";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { freePort } from "../../../test/support/free-port.ts";
import { type DeployedModels, type ModelsOptions, useModels } from "../../../test/support/models-gateway.ts";
import { RawUpstream } from "../../../test/support/upstream.ts";

const clock = new FakeClock();
const models = useModels({ clock });
const { provider, other } = models;

const target = (name: string, more: object = {}) => ({ provider: name, model: `${name}-model`, ...more });
const inOrder = { targets: [target("other", { priority: 2 }), target("openai", { priority: 1 })], maxOutputTokens: 9 };

function deploy(options: ModelsOptions = {}): Promise<DeployedModels> {
  return models.deploy({ aliases: { both: inOrder }, ...options });
}

const send = (deployed: DeployedModels, model = "both") => deployed.post("chat/completions", { model });
const counts = () => [provider.requests.length, other.requests.length];
const status =
  (code: number, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ error: { message: `status ${code}` } }, { status: code, headers });
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code;
let deployed: DeployedModels;

beforeEach(async () => {
  deployed = await deploy();
});

describe("another target gets the request", () => {
  test("a retried request has the model, headers and body of the next target", async () => {
    provider.respond = status(503);
    const response = await send(deployed);
    expect(response.status).toBe(200);
    expect(counts()).toEqual([1, 1]);
    expect([provider.last.body, other.last.body]).toEqual([
      { max_tokens: 9, model: "openai-model" },
      { max_tokens: 9, model: "other-model" },
    ]);
    expect(other.last.headers.get("x-extra")).toBe("1");
    const { target: recorded } = models.gateway.requests.at(-1)!;
    expect(recorded).toMatchObject({ kind: "upstream", url: `${other.url}/chat/completions`, attempts: 2 });
  });

  test.each([429, 503, 529])("a request is retried after %d at the target with the next priority", async (code) => {
    provider.respond = status(code);
    expect((await send(deployed)).status).toBe(200);
    expect(counts()).toEqual([1, 1]);
  });

  test("a request is retried after a failed connection", async () => {
    const port = await freePort();
    const unreachable = await models.deploy({
      aliases: { both: { targets: [target("gone"), target("other", { priority: 1 })], maxOutputTokens: 9 } },
      providers: { gone: { api: "openai", url: `http://127.0.0.1:${port}/v1` } },
    });
    expect((await send(unreachable)).status).toBe(200);
    expect(counts()).toEqual([0, 1]);
    const alone = await models.deploy({
      aliases: { both: { targets: [target("gone")], maxOutputTokens: 9 } },
      providers: { gone: { api: "openai", url: `http://127.0.0.1:${port}/v1` } },
    });
    const failed = await send(alone);
    expect([failed.status, await codeOf(failed)]).toEqual([502, "upstream_unavailable"]);
  });

  test.each([500, 502, 504])("a request is retried after %d only with retryIfSent", async (code) => {
    provider.respond = status(code);
    expect((await send(deployed)).status).toBe(code);
    expect(counts()).toEqual([1, 0]);
    expect((await send(await deploy({ route: { retryIfSent: true } }))).status).toBe(200);
    expect(counts()).toEqual([2, 1]);
  });

  test("a request that was sent is retried after a connection failure only with retryIfSent", async () => {
    const raw = await RawUpstream.start(({ socket }) => socket.destroy());
    try {
      const options = {
        aliases: { both: { targets: [target("raw"), target("other", { priority: 1 })], maxOutputTokens: 9 } },
        providers: { raw: { api: "openai", url: `${raw.url}/v1` } },
      };
      const failed = await send(await models.deploy(options));
      expect([failed.status, await codeOf(failed)]).toEqual([502, "upstream_unavailable"]);
      expect(counts()).toEqual([0, 0]);
      expect((await send(await models.deploy({ ...options, route: { retryIfSent: true } }))).status).toBe(200);
      expect(counts()).toEqual([0, 1]);
    } finally {
      await raw.stop();
    }
  });

  test("a request is not retried after a client error", async () => {
    for (const code of [400, 401, 404, 422]) {
      provider.respond = status(code);
      await send(await deploy({ route: { retryIfSent: true } }));
    }
    expect(counts()).toEqual([4, 0]);
  });

  test("a request is not retried after a stream has begun", async () => {
    provider.respond = () =>
      new Response('data: {"choices":[{}]}\n\ndata: {"cu', { headers: { "content-type": "text/event-stream" } });
    const response = await deployed.post("chat/completions", { model: "both", stream: true });
    await response.text();
    expect(counts()).toEqual([1, 0]);
  });
});

describe("a target that reached its rate limit", () => {
  test("a target that returned 429 gets no requests until its Retry-After has passed", async () => {
    provider.respond = status(429, { "retry-after": "20" });
    await send(deployed);
    provider.reset();
    await send(deployed);
    expect(counts()).toEqual([0, 2]);
    clock.advance(19_000);
    await send(deployed);
    expect(counts()).toEqual([0, 3]);
    clock.advance(1_500);
    await send(deployed);
    expect(counts()).toEqual([1, 3]);
  });

  test("cools down for 5 seconds without Retry-After, and for 5 minutes at most", async () => {
    const afterOf = async (headers: Record<string, string>) => {
      const alone = await models.deploy({ aliases: { alone: { targets: [target("openai")], maxOutputTokens: 9 } } });
      provider.respond = status(429, headers);
      const first = await send(alone, "alone");
      const second = await send(alone, "alone");
      return [
        first.status,
        await codeOf(first),
        first.headers.get("retry-after"),
        second.status,
        await codeOf(second),
        second.headers.get("retry-after"),
      ];
    };
    const outcome = (after: string) => [429, "model_busy", after, 503, "model_cooling_down", after];
    expect(await afterOf({})).toEqual(outcome("5"));
    expect(await afterOf({ "retry-after": "17" })).toEqual(outcome("17"));
    expect(await afterOf({ "retry-after": "99999" })).toEqual(outcome("300"));
    const date = new Date(clock.now() + 60_000).toUTCString();
    expect(Number((await afterOf({ "retry-after": date }))[5])).toBeWithin(58, 62);
  });

  test("without another target the request gets the 429 with our text, and later ones 503 until one is ready", async () => {
    provider.respond = status(429, { "retry-after": "30" });
    other.respond = status(429, { "retry-after": "10", "x-ratelimit-reset-tokens": "1s" });
    const limited = await send(deployed);
    expect([
      limited.status,
      limited.headers.get("retry-after"),
      limited.headers.get("x-ratelimit-reset-tokens"),
    ]).toEqual([429, "10", null]);
    expect(await limited.text()).not.toContain("status 429");
    const cooling = await send(deployed);
    expect([cooling.status, cooling.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(counts()).toEqual([1, 1]);
    clock.advance(11_000);
    other.reset();
    expect((await send(deployed)).status).toBe(200);
    expect(counts()).toEqual([1, 1]);
  });

  const tooLarge = () =>
    Response.json({ error: { message: "Request too large", code: "rate_limit_exceeded" } }, { status: 429 });
  const alone = (options: ModelsOptions = {}) =>
    models.deploy({
      ...options,
      aliases: { alone: { targets: [target("openai")], maxOutputTokens: 9 }, ...options.aliases },
    });
  const sendAs = (caller: string, to: DeployedModels, model = "alone") =>
    to.post("chat/completions", { model }, caller === "" ? {} : { "x-caller": caller });
  const statusesOf = async (callers: string[], to: DeployedModels, model?: string) => {
    const statuses: number[] = [];
    for (const caller of callers) statuses.push((await sendAs(caller, to, model)).status);
    return statuses;
  };

  test.each<[string, () => Response]>([
    ["a request that is too large", tooLarge],
    ["with Retry-After", status(429, { "retry-after": "300" })],
    ["with a limit that is not used up", status(429, { "x-ratelimit-remaining-tokens": "30000", "retry-after": "60" })],
    ["without a body", () => new Response(null, { status: 429 })],
    ["with the code in a text", () => Response.json({ error: { message: 'a "insufficient_quota"' } }, { status: 429 })],
  ])("the 429 of one customer stops the model for no other: %s", async (_, respond) => {
    for (const model of ["alone", "both"]) {
      const to = await alone({ aliases: { both: inOrder } });
      provider.respond = respond;
      other.respond = respond;
      expect(await statusesOf(["attacker", "attacker"], to, model)).toEqual([429, 503]);
      provider.reset();
      other.reset();
      expect(await statusesOf(["", "acme", "globex", "attacker", "acme"], to, model)).toEqual([
        200, 200, 200, 503, 200,
      ]);
    }
  });

  test("all customers wait after two were rejected within a cooldown, but one request a second is a probe", async () => {
    const to = await alone();
    provider.respond = status(429, { "retry-after": "20" });
    expect(await statusesOf(["one"], to)).toEqual([429]);
    clock.advance(20_000);
    expect(await statusesOf(["two"], to)).toEqual([429]);
    // The cooldown of the first customer is over, so the second one is alone.
    provider.reset();
    expect(await statusesOf(["three"], to)).toEqual([200]);
    provider.respond = status(429, { "retry-after": "20" });
    expect(await statusesOf(["three", "four"], to)).toEqual([429, 503]);
    const many = ["four", "five", "six", "seven", "eight"];
    const concurrent = async () => {
      const before = provider.requests.length;
      const statuses = await Promise.all(many.map(async (caller) => (await sendAs(caller, to)).status));
      return [provider.requests.length - before, statuses.filter((code) => code === 503).length];
    };
    expect(await concurrent()).toEqual([0, 5]);
    clock.advance(1000);
    // Customers that were rejected themselves are no probes.
    expect(await statusesOf(["two", "three"], to)).toEqual([503, 503]);
    expect(await concurrent()).toEqual([1, 4]);
    clock.advance(1000);
    provider.reset();
    expect((await concurrent())[0]).toBeGreaterThanOrEqual(1);
    expect(await statusesOf(["nine", "ten", "two"], to)).toEqual([200, 200, 503]);
  });

  test.each<[string, () => Response]>([
    [
      "by its code",
      () => Response.json({ error: { code: "insufficient_quota", type: "insufficient_quota" } }, { status: 429 }),
    ],
    ["by a header of OpenAI", status(429, { "x-ratelimit-remaining-tokens": "0" })],
    ["by a header of Anthropic", status(429, { "anthropic-ratelimit-input-tokens-remaining": "0" })],
  ])("all customers wait if the response says that the account is exhausted: %s", async (_, respond) => {
    const to = await alone({ aliases: { both: inOrder } });
    provider.respond = respond;
    expect(await statusesOf(["one"], to)).toEqual([429]);
    expect(await statusesOf(["two"], to)).toEqual([503]);
    // The other target serves them.
    expect(await statusesOf(["three"], to, "both")).toEqual([200]);
  });

  test("a 429 of the count of tokens stops only the count of tokens", async () => {
    const messages = [{ role: "user", content: "Hi" }];
    const to = await models.deploy();
    const call = async (caller: string, operation: string) =>
      (
        await to.post(
          operation,
          { model: "claude", messages, ...(operation === "messages" && { max_tokens: 9 }) },
          { "x-caller": caller },
        )
      ).status;
    provider.respond = ({ path }) => (path.endsWith("count_tokens") ? tooLarge() : undefined);
    for (const caller of ["one", "two"]) expect(await call(caller, "messages/count_tokens")).toBe(429);
    expect(await call("three", "messages/count_tokens")).toBe(503);
    for (const caller of ["one", "two", "three"]) expect(await call(caller, "messages")).toBe(200);
  });

  test("a target of another deployment is not affected", async () => {
    provider.respond = status(429, { "retry-after": "30" });
    await send(deployed);
    provider.reset();
    await send(await deploy());
    expect(counts()[0]).toBe(1);
  });
});

test("within a priority, a consumer keeps its target, and weights are shares", async () => {
  const weighted = await models.deploy({
    aliases: { both: { targets: [target("openai", { weight: 3 }), target("other")], maxOutputTokens: 9 } },
  });
  const chosen = async (caller: string) => {
    const before = other.requests.length;
    await weighted.post("chat/completions", { model: "both" }, { "x-caller": caller });
    return other.requests.length > before ? "other" : "openai";
  };
  let others = 0;
  for (let index = 0; index < 200; index++) {
    const first = await chosen(`caller-${index}`);
    if (index < 20) expect(await chosen(`caller-${index}`)).toBe(first);
    if (first === "other") others += 1;
  }
  // A quarter of 200.
  expect(others).toBeWithin(30, 71);
});
