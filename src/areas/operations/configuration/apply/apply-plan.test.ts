import { expect, test } from "bun:test";
import { useConfiguredAccount } from "../../../../../test/support/configured-account.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { subscribe } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";

const minute = 60_000;
const secretValue = "s3cr3t-canary-of-the-upstream";
const gold = { label: "Gold", meters: { requests: { label: "Requests", max: 1000 } } };
const hook = { url: "https://acme.example/hook", events: ["key.*", "quota.threshold"] };

eachEngine((engine) => {
  const server = useServer(engine);
  const configured = useConfiguredAccount(server);

  test("a plan is valid once", async () => {
    const { body } = await configured.plan({ keyBuckets: { main: {} } });
    expect((await configured.applyPlan(body.planId)).status).toBe(200);
    const again = await configured.applyPlan(body.planId);
    expectProblem(again, 409, "configuration_plan_applied");
    expect((await configured.client.get(`${configured.path}/plans/${body.planId}`)).body).toMatchObject({
      status: "applied",
    });
  });

  test("a plan is valid for 15 minutes, and its secrets are not kept longer", async () => {
    const variables = { orders: { TOKEN: { isSecret: true, valueFrom: { env: "TOKEN" } } } };
    const { body } = await configured.plan({ variables }, { secrets: { TOKEN: secretValue } });
    server.clock.advance(15 * minute - 1);
    expect((await configured.client.get(`${configured.path}/plans/${body.planId}`)).body).toMatchObject({
      status: "planned",
    });
    server.clock.advance(1);
    expectProblem(await configured.applyPlan(body.planId), 409, "configuration_plan_expired");
    expect((await configured.client.get(`${configured.path}/plans/${body.planId}`)).body).toMatchObject({
      status: "expired",
    });
    await server.runTasks();
    const rows = await tableContent(server.database, "configuration_plans");
    expect(rows.filter(({ id, inputs }) => id === body.planId && inputs === null)).toHaveLength(1);
    expect(await configured.dump()).toEqual({ version: 1 });
  });

  test("a plan is bound to the revisions of its resources, and to their absence", async () => {
    await configured.apply({ keyBuckets: { main: {}, other: {} } });
    const configuration = { keyBuckets: { main: { keyPrefix: "acme" }, other: {} }, webhooks: { billing: hook } };
    const { body } = await configured.plan(configuration);
    // Not in its steps.
    await configured.client.patch(`/v1/accounts/${configured.name}/key-buckets/other`, { description: "changed" });
    const bucket = `/v1/accounts/${configured.name}/key-buckets/main`;
    await configured.client.patch(bucket, { description: "changed" });
    const changed = await configured.applyPlan(body.planId);
    expectProblem(changed, 409, "configuration_changed");
    expect(changed.body.detail).toContain("keyBuckets main");
    // No step was applied.
    expect((await configured.client.get(bucket)).body).toMatchObject({ keyPrefix: "tg", description: "changed" });
    expect((await configured.dump()).webhooks).toBeUndefined();

    const again = (await configured.plan(configuration)).body;
    await configured.client.post(`/v1/accounts/${configured.name}/webhooks`, { ...hook, name: "billing" });
    expectProblem(await configured.applyPlan(again.planId), 409, "configuration_changed");

    const variables = { orders: { A: { value: "1" } } };
    const third = (await configured.plan({ variables })).body;
    const variable = `/v1/accounts/${configured.name}/projects/orders/variables/A`;
    await configured.client.raw("PUT", variable, JSON.stringify({ value: "2" }));
    expectProblem(await configured.applyPlan(third.planId), 409, "configuration_changed");
    expect((await configured.client.get(variable)).body.value).toBe("2");
  });

  test("what a plan deletes leaves no mark of its owner behind, and the marks of others stay", async () => {
    await configured.apply({ keyBuckets: { main: {}, other: {} } }, { as: "shop" });
    const idOf = async (name: string) =>
      (await configured.client.get(`/v1/accounts/${configured.name}/key-buckets/${name}`)).body.id;
    const [main, other] = [await idOf("main"), await idOf("other")];
    const marked = async () =>
      (await tableContent(server.database, "configuration_marks"))
        .map(({ resource_id }) => resource_id)
        .filter((id) => id === main || id === other)
        .sort();
    expect(await marked()).toEqual([main, other].sort());
    await configured.apply({ keyBuckets: { other: {} } }, { as: "shop", prune: true });
    expect(await marked()).toEqual([other]);
  });

  test("a plan is applied once by two concurrent requests", async () => {
    const { body } = await configured.plan({ keyBuckets: { main: {} } });
    const both = await Promise.all([1, 2].map(() => configured.applyPlan(body.planId)));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test("a plan compares secrets on the server, and shows a new one as changed", async () => {
    const variables = { orders: { TOKEN: { isSecret: true, valueFrom: { env: "TOKEN" } } } };
    await configured.apply({ variables }, { secrets: { TOKEN: secretValue } });
    expect(await configured.steps({ variables }, { secrets: { TOKEN: secretValue } })).toEqual([]);
    // A secret that is stored is left as it is, also by a change of something else.
    expect(await configured.steps({ variables })).toEqual([]);
    const environments = ["production", "staging"];
    const wider = { orders: { TOKEN: { ...variables.orders.TOKEN, environments } } };
    await configured.apply({ variables: wider });
    expect(await configured.steps({ variables: wider }, { secrets: { TOKEN: secretValue } })).toEqual([]);
    await configured.apply({ variables });
    const rotated = `${secretValue}-2`;
    const { body, text } = await configured.plan({ variables }, { secrets: { TOKEN: rotated } });
    expect(body.steps).toMatchObject([
      { name: "TOKEN", action: "update", after: { isSecret: true, value: "changed", environments: ["production"] } },
    ]);
    expect(text).not.toContain(secretValue);
    await configured.applyPlan(body.planId);
    expect(await configured.steps({ variables }, { secrets: { TOKEN: rotated } })).toEqual([]);
    expect(JSON.stringify((await configured.dump()).variables)).not.toContain(secretValue);
    const short = await configured.plan({ variables }, { secrets: { TOKEN: "short" } });
    expectProblem(short, 400, "validation_failed", { pointer: "/configuration/variables/orders/TOKEN/valueFrom" });
  });

  test("a plan lists the subscriptions that get lower limits, and when variables take effect", async () => {
    const configuration = { meteringBuckets: { shop: {} }, plans: { shop: { gold } } };
    await configured.apply(configuration);
    const { data } = (await configured.client.get("/v1/metering/shop/plans")).body;
    const { id } = await subscribe(configured.client, "/v1/metering/shop", data, { customerKey: "acme" });
    await subscribe(configured.client, "/v1/metering/shop", data, {
      customerKey: "gone",
      subscriptionExternalId: "s2",
      status: "canceled",
    });
    const lower = { shop: { gold: { ...gold, meters: { requests: { max: 999 } } } } };
    const { body } = await configured.plan({ plans: lower, variables: { orders: { A: { value: "1" } } } });
    expect(body.steps[0].affectedSubscriptions).toEqual({ total: 1, data: [{ id, customerKey: "acme" }] });
    expect(body.steps[1].notes).toEqual(["Takes effect with the next deployment."]);
    const higher = { shop: { gold: { ...gold, meters: { requests: { max: 2000 } } } } };
    expect((await configured.plan({ plans: higher })).body.steps[0].affectedSubscriptions).toBeUndefined();
  });

  test("a plan needs the roles of its steps, when planned and when applied", async () => {
    const reader = await configured.withRole("reader");
    const verifier = await configured.withRole("verifier");
    const body = { configuration: { version: 1, keyBuckets: { main: {} } } };
    expectProblem(await reader.post(`${configured.path}/$plan`, body), 403, "forbidden");
    const { planId } = (await configured.plan({ keyBuckets: { main: {} } })).body;
    expectProblem(await reader.post(`${configured.path}/$apply`, { planId }), 403, "forbidden");
    expectProblem(await verifier.get(configured.path), 403, "forbidden");
    await configured.applyPlan(planId);
    // Without steps, to read is enough; except for secrets, which could be guessed.
    expect((await reader.post(`${configured.path}/$plan`, body)).status).toBe(200);
    const variables = { orders: { TOKEN: { isSecret: true, valueFrom: { env: "TOKEN" } } } };
    await configured.apply({ variables }, { secrets: { TOKEN: secretValue } });
    const guess = { configuration: { version: 1, variables }, secrets: { TOKEN: secretValue } };
    expectProblem(await reader.post(`${configured.path}/$plan`, guess), 403, "forbidden");
  });

  test("a plan belongs to its account", async () => {
    const { planId } = (await configured.plan({ keyBuckets: { main: {} } })).body;
    const other = `/v1/accounts/${account}/configuration`;
    expectProblem(await server.client.post(`${other}/$apply`, { planId }), 404, "not_found");
    expectProblem(await server.client.get(`${other}/plans/${planId}`), 404, "not_found");
    expectProblem(await server.client.get(configured.path), 404, "not_found");
    expectProblem(await configured.client.anonymous().post(`${configured.path}/$plan`, {}), 401, "unauthenticated");
    expectProblem(await configured.client.get(`${configured.path}/plans/cfgp_unknown`), 404, "not_found");
  });

  test("a plan repeats its response to the same Idempotency-Key", async () => {
    const headers = { "idempotency-key": `plan-${configured.name}` };
    const body = { configuration: { version: 1, keyBuckets: { main: {} } } };
    const first = await configured.client.post(`${configured.path}/$plan`, body, headers);
    const second = await configured.client.post(`${configured.path}/$plan`, body, headers);
    expect(second.body.planId).toBe(first.body.planId);
  });
});
