import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { until } from "../../../../../test/support/until.ts";
import { useWebhookReceiver, verifySignature } from "../../../../../test/support/webhook-receiver.ts";

const webhooks = `/v1/accounts/${account}/webhooks`;
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const receiver = useWebhookReceiver();
  afterAll(() => expect(server.log).not.toContain("whsec_"));

  beforeEach(() => {
    receiver.received.length = 0;
    receiver.respond = () => new Response("thanks");
  });

  interface Hook {
    id: string;
    secret: string;
    path: string;
  }

  afterEach(async () => {
    for (const { id } of (await client.get(webhooks)).body.data) await client.delete(`${webhooks}/${id}`);
  });

  async function hook(url = receiver.url(), events = ["plan.created"]): Promise<Hook> {
    const { id, secret } = (await client.post(webhooks, { url, events })).body;
    return { id, secret, path: `${webhooks}/${id}` };
  }

  const deliveryOf = async ({ path }: Hook, id: string) => (await client.get(`${path}/deliveries/${id}`)).body;
  const send = async ({ path }: Hook) => (await client.post(`${path}/test`)).body.id as string;

  function attempts(webhook: Hook, id: string, count: number) {
    return until(
      async () => {
        const delivery = await deliveryOf(webhook, id);
        return delivery.attempts >= count ? delivery : undefined;
      },
      { what: `attempt ${count}` },
    );
  }

  async function countWrites(): Promise<number> {
    const text = await (await fetch(`${server.url}/metrics`)).text();
    return Number(/^tollgate_storage_duration_seconds_count\{operation="write"\} (\d+)$/m.exec(text)![1]);
  }

  test("a message is signed by Standard Webhooks, and its delivery shows the result", async () => {
    const webhook = await hook(receiver.url("/path?of=mine"));
    const id = await send(webhook);
    const [received] = await receiver.wait(1);
    verifySignature(webhook.secret, received!);
    expect(received).toMatchObject({
      path: "/path?of=mine",
      id: expect.stringMatching(/^msg_[0-9A-Za-z]{24}$/),
      timestamp: String(Math.floor(clock.now() / 1000)),
      message: { type: "webhook.test", timestamp: clock.iso(), data: { webhookId: webhook.id } },
    });
    expect(received!.headers.get("content-type")).toBe("application/json");
    const delivery = await attempts(webhook, id, 1);
    expect(delivery).toMatchObject({
      status: "succeeded",
      messageId: received!.id,
      finishedOn: clock.iso(),
      request: { method: "POST", url: receiver.url("/path?of=mine"), body: received!.body },
      attemptLog: [{ number: 1, startedOn: clock.iso(), status: 200, response: "thanks" }],
    });
    expect((await client.get(`${webhook.path}/deliveries?status=succeeded&type=webhook.test`)).body.data).toHaveLength(
      1,
    );
    expect((await client.get(`${webhook.path}/deliveries?status=failed`)).body.data).toEqual([]);
  });

  test("a failing endpoint is retried by the schedule, then the delivery fails, and a requested retry succeeds", async () => {
    const webhook = await hook();
    receiver.respond = () => new Response("busy", { status: 503 });
    const begin = clock.iso();
    const id = await send(webhook);
    const delays = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];
    for (const [index, delay] of delays.entries()) {
      const delivery = await attempts(webhook, id, index + 1);
      expect(delivery).toMatchObject({ status: "pending", nextAttemptOn: clock.iso(delay) });
      clock.advance(delay - 1);
      await server.catchUp();
      expect(receiver.received).toHaveLength(index + 1);
      clock.advance(1);
    }
    const failed = await attempts(webhook, id, 8);
    expect(failed).toMatchObject({ status: "failed", attempts: 8 });
    expect(failed).not.toHaveProperty("nextAttemptOn");
    expect((await client.get(webhook.path)).body.failingSince).toBe(begin);
    expect((await client.get(webhooks)).body.data[0].failingSince).toBe(begin);
    expect(new Set(receiver.received.map((each) => each.id)).size).toBe(1);

    receiver.respond = () => new Response(null, { status: 204 });
    await client.post(`${webhook.path}/deliveries/${id}/retry`);
    expect(await attempts(webhook, id, 9)).toMatchObject({ status: "succeeded", attempts: 9 });
    expect(receiver.received[8]!.id).toBe(receiver.received[0]!.id);
    expect((await client.get(webhook.path)).body).not.toHaveProperty("failingSince");
  });

  test("redirects are not followed", async () => {
    const webhook = await hook();
    receiver.respond = () => Response.redirect(receiver.url("/elsewhere"), 307);
    const delivery = await attempts(webhook, await send(webhook), 1);
    expect(delivery).toMatchObject({ status: "pending", attemptLog: [{ status: 307 }] });
    expect(receiver.received).toHaveLength(1);
  });

  test("410 disables immediately, notifies the other endpoints, and fails pending deliveries", async () => {
    const other = await hook(receiver.url("/other"), ["webhook.disabled"]);
    const webhook = await hook(receiver.url("/gone"));
    receiver.respond = ({ path }) => new Response("x".repeat(5000), { status: path === "/gone" ? 410 : 200 });
    const id = await send(webhook);
    const delivery = await attempts(webhook, id, 1);
    expect(delivery).toMatchObject({ status: "failed", attemptLog: [{ status: 410, response: "x".repeat(4096) }] });
    expect((await client.get(webhook.path)).body).toMatchObject({ isEnabled: false, disabledReason: "gone" });
    const [disabled] = await receiver.waitForType("webhook.disabled");
    verifySignature(other.secret, disabled!);
    expect(disabled).toMatchObject({ path: "/other", message: { data: { id: webhook.id, disabledReason: "gone" } } });
    expect(receiver.ofType("webhook.disabled")).toHaveLength(1);
  });

  test("five days without a success disable it", async () => {
    const webhook = await hook();
    receiver.respond = () => new Response(null, { status: 500 });
    await attempts(webhook, await send(webhook), 1);
    clock.advance(5 * 24 * hour - second);
    await attempts(webhook, await send(webhook), 1);
    expect((await client.get(webhook.path)).body.isEnabled).toBe(true);
    clock.advance(second);
    await attempts(webhook, await send(webhook), 1);
    expect((await client.get(webhook.path)).body).toMatchObject({ isEnabled: false, disabledReason: "failing" });
    const pending = async () => (await client.get(`${webhook.path}/deliveries?status=pending`)).body.data.length === 0;
    await until(pending, { what: "pending deliveries to fail" });

    receiver.respond = () => new Response(null, { status: 200 });
    expect((await client.patch(webhook.path, { isEnabled: true })).body).not.toHaveProperty("disabledReason");
    expect(await attempts(webhook, await send(webhook), 1)).toMatchObject({ status: "succeeded" });
  });

  test("a rotated secret signs beside the old one until the grace ends", async () => {
    const webhook = await hook();
    const rotated = (await client.post(`${webhook.path}/rotate-secret`, { graceSeconds: 60 })).body;
    expect(rotated.secret).not.toBe(webhook.secret);
    await send(webhook);
    const [during] = await receiver.wait(1);
    verifySignature(webhook.secret, during!);
    verifySignature(rotated.secret, during!);
    clock.advance(60 * second);
    await send(webhook);
    const after = (await receiver.wait(2))[1]!;
    verifySignature(rotated.secret, after);
    expect(() => verifySignature(webhook.secret, after)).toThrow();
    expect(after.signature.split(" ")).toHaveLength(1);
  });

  test("an endpoint that hangs delays no other", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    receiver.respond = async ({ path }) => {
      if (path === "/hangs") await released;
      return new Response();
    };
    const hanging = await hook(receiver.url("/hangs"));
    for (let count = 0; count < 20; count++) await send(hanging);
    await until(() => receiver.received.length === 5);
    const webhook = await hook(receiver.url("/quick"));
    expect(await attempts(webhook, await send(webhook), 1)).toMatchObject({ status: "succeeded" });
    expect(receiver.received.filter(({ path }) => path === "/hangs")).toHaveLength(5);
    release();
    await receiver.wait(21);
  });

  test("deliveries that wait for a failing endpoint cause no writes while attempts are in progress", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: failed, resolve: fail } = Promise.withResolvers<void>();
    receiver.respond = async () => {
      if (receiver.received.length > 1) await released;
      else await failed;
      return new Response(null, { status: 500 });
    };
    const webhook = await hook();
    for (let count = 0; count < 10; count++) await send(webhook);
    await receiver.wait(5);
    fail();
    await until(async () => (await client.get(webhook.path)).body.failingSince);
    const before = await countWrites();
    for (let count = 0; count < 200; count++) await client.get(webhook.path);
    // A few writes are of background work.
    expect((await countWrites()) - before).toBeLessThan(20);
    expect(receiver.received).toHaveLength(5);
    release();
    await server.catchUp();
  });

  test("a requested retry does not wait for the attempt in progress, whose result is dropped", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    receiver.respond = async () => {
      if (receiver.received.length > 1) return new Response();
      await released;
      return new Response(null, { status: 500 });
    };
    const webhook = await hook();
    const id = await send(webhook);
    await receiver.wait(1);
    await client.post(`${webhook.path}/deliveries/${id}/retry`);
    // Before the attempt in progress times out.
    await receiver.wait(2, 10_000);
    const succeeded = await attempts(webhook, id, 1);
    release();
    await server.catchUp();
    expect(succeeded).toMatchObject({ status: "succeeded", attempts: 1 });
    expect(await deliveryOf(webhook, id)).toEqual(succeeded);
    expect((await client.get(webhook.path)).body).not.toHaveProperty("failingSince");
  });

  test("an endpoint that cannot be reached is retried", async () => {
    const webhook = await hook("http://127.0.0.1:1/closed");
    const delivery = await attempts(webhook, await send(webhook), 1);
    expect(delivery).toMatchObject({ status: "pending", attemptLog: [{ error: expect.stringMatching(/\S/) }] });
  });

  test("deliveries in progress when the server stops are repeated with the same id", async () => {
    const webhook = await hook();
    receiver.respond = () => new Promise<never>(() => {});
    const id = await send(webhook);
    await receiver.wait(1);
    await server.restart();
    receiver.respond = () => new Response();
    expect(await attempts(webhook, id, 1)).toMatchObject({ status: "succeeded", attempts: 1 });
    expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id);
  });
});
