import { afterAll, beforeAll, expect, test } from "bun:test";
import { strangerOf } from "../../../../test/support/callers.ts";
import { useConfiguredAccount } from "../../../../test/support/configured-account.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import {
  createPlan,
  newMeteringBucket,
  record,
  subscribe,
  unique,
  usageEvent,
  usedOf,
} from "../../../../test/support/metering.ts";
import { handOff, PortalBrowser, portalPath, setPortal } from "../../../../test/support/portal.ts";
import { type Deployed, deploy, openApi } from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { explainRequest } from "../../../client/index.ts";

const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") });
afterAll(() => upstream.stop(true));

const keyBuckets = "/v1/accounts/default/key-buckets";
const requests = "/v1/accounts/default/requests";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const configured = useConfiguredAccount(server);
  let deployed: Deployed;
  const bucketName = "customers-of-production";
  const bucket = `/v1/metering/${bucketName}`;
  let path: string;
  const keys: Record<string, string> = {};

  beforeAll(async () => {
    await client.post("/v1/metering", { name: bucketName });
    const plan = await createPlan(client, bucket, { meters: { requests: { max: 1000 } }, isPublic: true });
    for (const name of ["production", "staging"]) {
      const { body } = await client.post(`${keyBuckets}/${name}/consumers?with-api-key=true`, { name: "acme" });
      keys[name] = body.apiKeys[0].key;
    }
    const { id } = await subscribe(client, bucket, [plan]);
    path = `${bucket}/subscriptions/${id}`;
    const policy = (name: string) => ({ type: "api-key", options: { bucket: name } });
    const quota = (bucketId: string) => ({ type: "quota", options: { bucketId, meters: { requests: 1 } } });
    const guarded = (name: string, policyName: string) => ({ "x-tollgate": { policies: [name, policyName] } });
    const { body: made } = await client.get(bucket);
    deployed = await deploy(
      server,
      { project: "whose", branch: "main" },
      {
        "openapi.json": openApi({
          "/production": guarded("production", "plan"),
          "/staging": guarded("staging", "plan"),
          "/staging-by-id": guarded("staging", "same-plan"),
        }),
        "tollgate.json": {
          upstream: upstream.url.origin,
          policies: {
            production: policy("production"),
            staging: policy("staging"),
            plan: quota(bucketName),
            "same-plan": quota(made.id),
          },
        },
      },
    );
  });

  const call = async (route: string, key: string) => {
    const response = await deployed.call(route, { headers: { authorization: `Bearer ${key}` } });
    return { status: response.status, body: await response.text(), id: response.headers.get("x-request-id")! };
  };
  const verify = async (name: string, more: object) =>
    (await client.post(`${keyBuckets}/${name}/verify-key`, { key: keys[name], ...more })).body;
  const taken = { bucketId: bucketName, meters: { requests: 1 } };
  const used = async () => {
    await server.catchUp();
    return (await usedOf(client, path)).requests!;
  };
  const setKeyBucket = async (keyBucket: string | null) =>
    expect((await client.patch(bucket, { keyBucket })).status).toBe(200);

  test("without keyBucket, consumers of all key buckets are matched by their name", async () => {
    expect((await client.get(bucket)).body).not.toHaveProperty("keyBucket");
    const before = await used();
    for (const name of ["production", "staging"]) {
      expect(await call(`/${name}`, keys[name]!)).toMatchObject({ status: 200 });
      expect(await verify(name, { consume: taken })).toMatchObject({ valid: true });
    }
    expect(await used()).toBe(before + 4);
  });

  test("with keyBucket, consumers of other key buckets have no subscription, at once", async () => {
    const before = await used();
    // Known to the caches of the gateway and of verify-key.
    expect(await call("/staging-by-id", keys.staging!)).toMatchObject({ status: 200 });
    await setKeyBucket("production");
    expect((await client.get(bucket)).body.keyBucket).toBe("production");
    const rejected = await call("/staging", keys.staging!);
    expect([rejected.status, JSON.parse(rejected.body).code]).toEqual([403, "no_subscription"]);
    expect(await call("/staging-by-id", keys.staging!)).toMatchObject({ status: 403 });
    const hold = { ...taken, expiresInSeconds: 60 };
    for (const take of [{ consume: taken }, { hold }])
      expect(await verify("staging", take)).toMatchObject({ valid: false, code: "no_subscription" });
    const repeated = await client.post(
      `${keyBuckets}/staging/verify-key`,
      { key: keys.staging, consume: taken },
      { "idempotency-key": unique("take") },
    );
    expect(repeated.body).toMatchObject({ valid: false, code: "no_subscription" });
    // Without an amount of a plan, the key is valid.
    expect(await verify("staging", {})).toMatchObject({ valid: true });
    expect(await used()).toBe(before + 1);

    expect(await call("/production", keys.production!)).toMatchObject({ status: 200 });
    expect(await verify("production", { consume: taken })).toMatchObject({ valid: true });
    expect(await verify("production", { hold })).toMatchObject({ valid: true });
    // Events are matched by the customerKey.
    expect(await record(client, bucket, [usageEvent({ requests: 1 })])).toMatchObject({ accepted: 1 });
    expect(await used()).toBe(before + 5);

    const explained = async () => {
      const { data } = (await client.get(`${requests}?requestId=${rejected.id}`)).body;
      return data[0] && explainRequest(data[0]);
    };
    await eventually(explained).toContain(
      `consumer acme is in key bucket staging, and the customers of metering bucket ${bucketName} are the consumers of key bucket production`,
    );
    const [{ decisions }] = (await client.get(`${requests}?requestId=${rejected.id}`)).body.data;
    expect(decisions.at(-1).detail).toMatchObject({ keyBucket: "staging", customersKeyBucket: "production" });

    await setKeyBucket(null);
    expect(await call("/staging", keys.staging!)).toMatchObject({ status: 200 });
    expect(await verify("staging", { consume: taken })).toMatchObject({ valid: true });
  });

  test("an unknown, malformed or foreign keyBucket", async () => {
    expectProblem(await client.patch(bucket, { keyBucket: "Not A Name" }), 400, "validation_failed", {
      pointer: "/keyBucket",
    });
    expectProblem(await client.post("/v1/metering", { keyBucket: 7 }), 400, "validation_failed");
    expectProblem(await client.anonymous().patch(bucket, { keyBucket: "staging" }), 401, "unauthenticated");
    const stranger = await strangerOf(client, unique("stranger"));
    expect((await stranger.patch(bucket, { keyBucket: "staging" })).status).toBe(404);
    expect((await client.get(bucket)).body).not.toHaveProperty("keyBucket");
    // A key bucket is often created later, with its first consumer.
    const { status, body } = await client.post("/v1/metering", { keyBucket: "not-yet" });
    expect([status, body.keyBucket]).toEqual([200, "not-yet"]);
  });

  test("warns of consumers that are one customer because they have the same name", async () => {
    const warning = expect.stringContaining(
      "The consumers acme of the key buckets production and staging are one customer",
    );
    const place = await newMeteringBucket(client);
    const plan = await createPlan(client, place, { meters: { requests: { max: 1 } } });
    expect((await subscribe(client, place, [plan])).warnings).toEqual([warning]);
    expect((await client.get(`${place}/customers/acme`)).body.warnings).toEqual([warning]);
    expect(await subscribe(client, place, [plan], { customerKey: "only-one" })).not.toHaveProperty("warnings");
    await client.patch(place, { keyBucket: "production" });
    expect(await subscribe(client, place, [plan])).not.toHaveProperty("warnings");
    expect((await client.get(`${place}/customers/acme`)).body).not.toHaveProperty("warnings");
  });

  test("the request that a shared quota rejected has the warning", async () => {
    const plan = await createPlan(client, bucket, { meters: { requests: { max: 0 } } });
    const { id } = await subscribe(client, bucket, [plan]);
    const rejected = await call("/staging", keys.staging!);
    expect(rejected.status).toBe(429);
    const find = async () => (await client.get(`${requests}?requestId=${rejected.id}`)).body.data[0]?.id;
    await eventually(find).toBeDefined();
    const { body } = await client.get(`${requests}/${await find()}`);
    expect(body.warnings).toEqual([expect.stringContaining("acme of the key buckets production and staging")]);
    await client.delete(`${bucket}/subscriptions/${id}`);
  });

  test("apply, diff and dump set, show and clear it, and warn of shared names", async () => {
    const shop = (entry: object) => ({ keyBuckets: { live: {}, test: {} }, meteringBuckets: { shop: entry } });
    await configured.apply(shop({ keyBucket: "live" }));
    expect((await configured.dump()).meteringBuckets).toEqual({ shop: { keyBucket: "live" } });
    expect(await configured.steps(shop({ keyBucket: "live" }))).toEqual([]);
    const path = `/v1/accounts/${configured.name}/key-buckets`;
    for (const name of ["live", "test"]) await configured.client.post(`${path}/${name}/consumers`, { name: "both" });
    const [step] = (await configured.plan(shop({}))).body.steps;
    expect(step).toMatchObject({
      action: "update",
      before: { keyBucket: "live" },
      notes: [expect.stringContaining("The consumers both of the key buckets live and test are one customer")],
    });
    await configured.apply(shop({}));
    expect((await configured.client.get("/v1/metering/shop")).body).not.toHaveProperty("keyBucket");
    await configured.apply(shop({ keyBucket: "test" }));
    expect((await configured.client.get("/v1/metering/shop")).body.keyBucket).toBe("test");
    expectProblem(await configured.plan(shop({ keyBucket: "test", isTest: true })), 400, "validation_failed");
  });

  test("a portal of another key bucket has no customers in it", async () => {
    const open = async (name: string) => {
      const path = portalPath(name);
      const { url } = await setPortal(client, { meteringBucket: bucketName }, path);
      const browser = new PortalBrowser(server, url);
      await browser.signIn(await handOff(client, "acme", {}, path));
      return browser;
    };
    const plansOf = async (browser: PortalBrowser) => (await browser.get("/plans")).body.data.length;
    const [staging, production] = [await open("staging"), await open("production")];
    expect([await plansOf(staging), await plansOf(production)]).toEqual([1, 1]);
    await setKeyBucket("production");
    expect([await plansOf(staging), await plansOf(production)]).toEqual([0, 1]);
    expect((await staging.get("/usage")).body.subscription).toBeNull();
    expect((await staging.get("/invoices")).status).toBe(404);
    const { body } = await client.get(portalPath("staging"));
    expect(body.warnings).toEqual([expect.stringContaining("the consumers of key bucket production")]);
    const settings = JSON.stringify({ title: "Acme", meteringBucket: bucketName });
    expectProblem(await client.raw("PUT", portalPath("staging"), settings), 400, "validation_failed", {
      pointer: "/meteringBucket",
    });
    expect((await client.get(portalPath("production"))).body).not.toHaveProperty("warnings");
    await setKeyBucket(null);
    for (const name of ["production", "staging"]) await client.delete(portalPath(name));
  });
});
