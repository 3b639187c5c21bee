import { afterAll, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";

const webhooks = `/v1/accounts/${account}/webhooks`;
const input = { url: "http://127.0.0.1:9/hook", events: ["key.*", "quota.threshold"] };

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  afterAll(() => expect(server.log).not.toContain("whsec_"));

  async function create(more: object = {}) {
    const { body } = await client.post(webhooks, { ...input, ...more });
    return body as { id: string; secret: string };
  }

  test("a webhook is created with its secret, which is not shown again", async () => {
    const response = await client.post(webhooks, { ...input, description: "for the CRM" });
    expect(response.status).toBe(200);
    const { secret, ...shown } = response.body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^hook_[0-9A-Za-z]{24}$/),
      ...input,
      description: "for the CRM",
      isEnabled: true,
      createdOn: server.clock.iso(),
      updatedOn: server.clock.iso(),
    });
    expect((await client.get(`${webhooks}/${shown.id}`)).body).toEqual(shown);
    const { body } = await client.get(webhooks);
    expect(body.data.find(({ id }: { id: string }) => id === shown.id)).toEqual(shown);
    expect(JSON.stringify(body)).not.toContain("whsec_");
  });

  test("PATCH changes, clears and keeps fields; an empty one changes nothing", async () => {
    const { id } = await create({ description: "old" });
    const patched = await client.patch(`${webhooks}/${id}`, { events: ["*"], description: null, isEnabled: false });
    expect(patched.body).toMatchObject({ id, url: input.url, events: ["*"], isEnabled: false });
    expect(patched.body).not.toHaveProperty("description");
    const same = await client.patch(`${webhooks}/${id}`, {});
    expect(same.headers.get("etag")).toBe(patched.headers.get("etag"));
    expectProblem(
      await client.patch(`${webhooks}/${id}`, { url: "x" }, { "if-match": '"other"' }),
      400,
      "validation_failed",
    );
    const stale = await client.patch(`${webhooks}/${id}`, { events: ["key.*"] }, { "if-match": '"other"' });
    expectProblem(stale, 412, "precondition_failed");
    expect((await client.get(`${webhooks}/${id}`)).body.events).toEqual(["*"]);
  });

  test("DELETE removes it", async () => {
    const { id } = await create();
    expect((await client.delete(`${webhooks}/${id}`)).status).toBe(204);
    expectProblem(await client.get(`${webhooks}/${id}`), 404, "not_found");
    expectProblem(await client.get(`${webhooks}/${id}/deliveries`), 404, "not_found");
  });

  test.each(
    casesFor(engine, [
      [{ url: "ftp://acme.example/" }, "/url"],
      [{ url: "no url" }, "/url"],
      [{ url: "https://user:secret@acme.example/" }, "/url"],
      [{ url: "https://acme.example/#part" }, "/url"],
      [{ url: `https://acme.example/${"x".repeat(2000)}` }, "/url"],
      [{ url: "http://169.254.169.254/latest/meta-data" }, "/url"],
      [{ events: [] }, "/events"],
      [{ events: ["key.*", "keys.*"] }, "/events/1"],
      [{ events: ["key.creat*"] }, "/events/0"],
      [{ events: "*" }, "/events"],
      [{ isEnabled: "yes" }, "/isEnabled"],
      [{ secret: "whsec_mine" }, "/secret"],
      [{ description: "x".repeat(1001) }, "/description"],
    ]),
  )("%p is rejected and nothing is created", async (more, pointer) => {
    const { total } = (await client.get(webhooks)).body;
    expectProblem(await client.post(webhooks, { ...input, ...more }), 400, "validation_failed", { pointer });
    expect((await client.get(webhooks)).body.total).toBe(total);
  });

  test("roles: readers read, verifiers do nothing, strangers find nothing", async () => {
    const { id } = await create();
    const reader = await callerWithRole(client, "reader");
    expect((await reader.get(`${webhooks}/${id}`)).status).toBe(200);
    expect((await reader.get(`${webhooks}/${id}/deliveries`)).status).toBe(200);
    const writes = [`${webhooks}/${id}/rotate-secret`, `${webhooks}/${id}/test`];
    for (const path of writes) expectProblem(await reader.post(path), 403, "forbidden");
    expectProblem(await reader.post(webhooks, input), 403, "forbidden");
    const verifier = await callerWithRole(client, "verifier");
    expectProblem(await verifier.get(webhooks), 403, "forbidden");
    expectProblem(await client.anonymous().get(webhooks), 401, "unauthenticated");

    const stranger = await strangerOf(client, `stranger-${engine.name}`);
    expectProblem(await stranger.get(`${webhooks}/${id}`), 404, "not_found");
    const elsewhere = `/v1/accounts/stranger-${engine.name}/webhooks/${id}`;
    expectProblem(await stranger.get(elsewhere), 404, "not_found");
    expectProblem(await stranger.patch(elsewhere, { isEnabled: false }), 404, "not_found");
    expectProblem(await stranger.delete(elsewhere), 404, "not_found");
    for (const verb of ["test", "rotate-secret"])
      expectProblem(await stranger.post(`${elsewhere}/${verb}`), 404, "not_found");
    expect((await client.get(`${webhooks}/${id}`)).body.isEnabled).toBe(true);
  });

  test("a disabled webhook is neither tested nor replayed to", async () => {
    const { id } = await create({ isEnabled: false });
    expectProblem(await client.post(`${webhooks}/${id}/test`), 409, "webhook_disabled");
    const time = { from: server.clock.iso(-1000), to: server.clock.iso(1000) };
    expectProblem(await client.post(`${webhooks}/${id}/replay`, time), 409, "webhook_disabled");
    expect((await client.get(`${webhooks}/${id}/deliveries`)).body.data).toEqual([]);
  });

  test("replay and rotation check their input", async () => {
    const { id } = await create();
    const now = server.clock.iso();
    expectProblem(await client.post(`${webhooks}/${id}/replay`, { from: now, to: now }), 400, "validation_failed", {
      pointer: "/to",
    });
    expectProblem(await client.post(`${webhooks}/${id}/replay`, { from: now }), 400, "validation_failed", {
      pointer: "/to",
    });
    for (const graceSeconds of [-1, 0.5, 604_801, "1"])
      expectProblem(await client.post(`${webhooks}/${id}/rotate-secret`, { graceSeconds }), 400, "validation_failed", {
        pointer: "/graceSeconds",
      });
  });

  test("a name is unique in its account, when it is created and when it is changed", async () => {
    const name = `billing-${engine.name}`;
    const first = await client.post(webhooks, { ...input, name });
    expect(first.body.name).toBe(name);
    const { total } = (await client.get(webhooks)).body;
    expectProblem(await client.post(webhooks, { ...input, name }), 409, "webhook_exists");
    expect((await client.get(webhooks)).body.total).toBe(total);
    const other = await create();
    expectProblem(await client.patch(`${webhooks}/${other.id}`, { name }), 409, "webhook_exists");
    expect((await client.get(`${webhooks}/${other.id}`)).body).not.toHaveProperty("name");
    // Its own name is not taken, another account may use it, and it is free again afterwards.
    expect((await client.patch(`${webhooks}/${first.body.id}`, { name, isEnabled: false })).status).toBe(200);
    const stranger = await strangerOf(client, `names-${engine.name}`);
    expect((await stranger.post(`/v1/accounts/names-${engine.name}/webhooks`, { ...input, name })).status).toBe(200);
    expect((await client.patch(`${webhooks}/${first.body.id}`, { name: null })).status).toBe(200);
    expect((await client.patch(`${webhooks}/${other.id}`, { name })).body.name).toBe(name);
  });

  test("an account has at most 50", async () => {
    const stranger = await strangerOf(client, `many-${engine.name}`);
    const path = `/v1/accounts/many-${engine.name}/webhooks`;
    for (let count = 0; count < 50; count++) expect((await stranger.post(path, input)).status).toBe(200);
    expectProblem(await stranger.post(path, input), 409, "too_many_webhooks");
    expect((await stranger.get(path)).body.total).toBe(50);
  });
});
