import { describe, expect, test } from "bun:test";
import { useConfiguredAccount } from "../../../../test/support/configured-account.ts";
import { useDns } from "../../../../test/support/domains.ts";
import { casesFor, eachEngine, sqlite } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { subscribe } from "../../../../test/support/metering.ts";
import { requestUpload } from "../../../../test/support/project.ts";
import { runSql } from "../../../../test/support/run-sql.ts";
import { useServer } from "../../../../test/support/server.ts";
import { holdText, tableContent } from "../../../../test/support/table-content.ts";

const secretValue = "s3cr3t-canary-of-the-upstream";
const gold = { label: "Gold", meters: { requests: { label: "Requests", max: 1000 } } };
const hook = { url: "https://acme.example/hook", events: ["key.*", "quota.threshold"] };

eachEngine((engine) => {
  const { environment } = useDns({ TOLLGATE_GATEWAY_URL: "https://{name}.apis.example.com" });
  const server = useServer(engine, { environment });

  const configured = useConfiguredAccount(server);

  const buckets = async () =>
    (await configured.client.get(`/v1/accounts/${configured.name}/key-buckets`)).body.data.map(
      (bucket: { name: string }) => bucket.name,
    );
  const newDeployment = async () => {
    await requestUpload(configured.client, { accountName: configured.name, project: "orders", branch: "main" });
    return (await configured.client.get("/v1/deployments")).body.data[0].name as string;
  };
  const everything = async () => ({
    keyBuckets: { main: { description: "Keys", keyPrefix: "acme", tags: { team: "api" } }, other: {} },
    meteringBuckets: { shop: {} },
    plans: { shop: { gold, "free/tier": { ...gold, label: "Free", trialDays: 14, trialEndStatus: "paused" } } },
    webhooks: { billing: { ...hook, description: "To billing", isEnabled: false } },
    domains: { "api.acme.example": { deploymentName: await newDeployment() } },
    variables: {
      orders: {
        REGION: { value: "eu", environments: ["production", "staging"] },
        UPSTREAM_TOKEN: { isSecret: true, valueFrom: { env: "UPSTREAM_TOKEN" } },
      },
    },
    portals: {
      main: {
        title: "Acme",
        accentColor: "#2456d6",
        meteringBucket: "shop",
        returnOrigins: ["https://app.acme.example"],
      },
    },
  });

  test("creates all kinds in one transaction, and the second plan has no steps", async () => {
    const configuration = await everything();
    const more = { secrets: { UPSTREAM_TOKEN: secretValue } };
    const applied = await configured.apply(configuration, more);
    expect(applied).toMatchObject({ status: "applied", prune: false, appliedOn: expect.any(String) });
    expect(applied.steps.map(({ kind }: { kind: string }) => kind)).toEqual([
      "keyBuckets",
      "keyBuckets",
      "meteringBuckets",
      "plans",
      "plans",
      "webhooks",
      "domains",
      "variables",
      "variables",
      "portals",
    ]);
    expect(await configured.steps(configuration, more)).toEqual([]);
    expect(await configured.dump()).toEqual({ version: 1, ...configuration });
    // What is dumped is what was applied.
    expect(await configured.steps(await configured.dump(), more)).toEqual([]);

    const entries = await tableContent(server.database, "changes");
    const actions = entries.flatMap(({ details }) => (details === null ? [] : [JSON.parse(details as string)]));
    const applications = actions.filter(({ action }) => action === "configuration.applied");
    expect(applications.at(-1)).toMatchObject({
      resource: { type: "configuration", id: applied.planId },
      counts: { created: 10, updated: 0, deleted: 0 },
    });
    const tables = ["configuration_plans", "project_variables", "changes"] as const;
    for (const table of tables) expect(holdText(await tableContent(server.database, table), secretValue)).toBe(false);
    expect(applied.steps.at(-2)).toMatchObject({ after: { isSecret: true, value: "changed" } });
  });

  test("updates what differs, and resets a field that is left out to its default", async () => {
    await configured.apply({
      keyBuckets: { main: { description: "Keys", keyPrefix: "acme" } },
      webhooks: { billing: hook },
    });
    const { body } = await configured.plan({
      keyBuckets: { main: {} },
      webhooks: { billing: { ...hook, isEnabled: false } },
    });
    expect(body.steps).toMatchObject([
      {
        kind: "keyBuckets",
        name: "main",
        action: "update",
        before: { description: "Keys", keyPrefix: "acme", isRetrievable: true },
        after: { keyPrefix: "tg", isRetrievable: true },
      },
      { kind: "webhooks", name: "billing", action: "update", before: { isEnabled: true }, after: { isEnabled: false } },
    ]);
    expect(body.steps[0].after).not.toHaveProperty("description");
    await configured.applyPlan(body.planId);
    expect(await configured.dump()).toEqual({
      version: 1,
      keyBuckets: { main: {} },
      webhooks: { billing: { ...hook, isEnabled: false } },
    });
  });

  test("does not touch kinds that are not mentioned, and resources without a mark", async () => {
    await configured.client.post(`/v1/accounts/${configured.name}/key-buckets`, { name: "by-hand" });
    await configured.apply({ keyBuckets: { main: {} }, webhooks: { billing: hook } }, { as: "shop" });
    expect(await configured.steps({}, { as: "shop", prune: true })).toEqual([]);
    expect(await configured.steps({ keyBuckets: {} })).toEqual([]);
    expect(await configured.steps({ keyBuckets: {} }, { as: "another", prune: true })).toEqual([]);
    expect(await configured.steps({ keyBuckets: {} }, { as: "shop", prune: true })).toEqual(["delete keyBuckets main"]);
    await configured.apply({ keyBuckets: {} }, { as: "shop", prune: true });
    expect(await buckets()).toEqual(["by-hand"]);
    // A bucket of the same name that was created by hand has no mark.
    await configured.client.post(`/v1/accounts/${configured.name}/key-buckets`, { name: "main" });
    expect(await configured.steps({ keyBuckets: {} }, { as: "shop", prune: true })).toEqual([]);
  });

  test("an update does not mark: only what an apply created is pruned", async () => {
    await configured.client.post(`/v1/accounts/${configured.name}/key-buckets`, { name: "main" });
    await configured.apply({ keyBuckets: { main: { keyPrefix: "acme" } } }, { as: "shop" });
    expect(await configured.steps({ keyBuckets: {} }, { as: "shop", prune: true })).toEqual([]);
  });

  test("a rename deletes before it creates, children before parents", async () => {
    const before = { meteringBuckets: { shop: {} }, plans: { shop: { gold } }, webhooks: { old: hook } };
    await configured.apply(before, { as: "shop" });
    const after = { meteringBuckets: { store: {} }, plans: { store: { gold } }, webhooks: { new: hook } };
    const more = { as: "shop", prune: true };
    expect(await configured.steps(after, more)).toEqual([
      "delete webhooks old",
      "delete plans shop gold",
      "delete meteringBuckets shop",
      "create meteringBuckets store",
      "create plans store gold",
      "create webhooks new",
    ]);
    await configured.apply(after, more);
    expect(await configured.steps(after, more)).toEqual([]);
    expect(Object.keys((await configured.dump()).plans)).toEqual(["store"]);
  });

  test("replaces all webhooks of an account that has as many as it may", async () => {
    const many = (prefix: string) => Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${prefix}-${n}`, hook]));
    await configured.apply({ webhooks: many("old") }, { as: "shop" });
    expectProblem(await configured.plan({ webhooks: { one: hook } }, { as: "shop" }), 409, "configuration_conflict", {
      pointer: "/configuration/webhooks/one",
    });
    await configured.apply({ webhooks: many("new") }, { as: "shop", prune: true });
    expect(Object.keys((await configured.dump()).webhooks)).toEqual(Object.keys(many("new")));
  });

  test("the order of members, events and environments is no difference", async () => {
    await configured.apply({
      webhooks: { billing: hook },
      variables: { orders: { A: { value: "1", environments: ["production", "preview", "x"] } } },
    });
    const reordered = {
      variables: { orders: { A: { environments: ["x", "preview", "production"], value: "1" } } },
      webhooks: { billing: { events: hook.events.toReversed(), url: hook.url } },
    };
    expect(await configured.steps(reordered)).toEqual([]);
  });

  test("empty lists, objects and texts are values like any other, and kinds without resources delete nothing", async () => {
    const empty = {
      keyBuckets: { main: { tags: {}, description: "" } },
      meteringBuckets: {},
      plans: {},
      webhooks: { billing: { ...hook, description: "" } },
      variables: { orders: { EMPTY: { value: "" } }, nothing: {} },
      portals: { main: { title: "Acme", returnOrigins: [], links: [], deployments: [] } },
    };
    await configured.apply(empty);
    expect(await configured.steps(empty)).toEqual([]);
    const dumped = await configured.dump();
    expect(await configured.steps(dumped)).toEqual([]);
    const nothing = { keyBuckets: {}, webhooks: {}, variables: {}, portals: {}, domains: {} };
    expect(await configured.steps(nothing, { as: "shop", prune: true })).toEqual([]);
    expect(await configured.dump()).toEqual(dumped);
  });

  test("hosts are compared in their canonical form", async () => {
    const deploymentName = await newDeployment();
    await configured.apply({ domains: { "API.Bücher.example": { deploymentName } } });
    expect(await configured.steps({ domains: { "api.bücher.example": { deploymentName } } })).toEqual([]);
    expect(await configured.steps(await configured.dump())).toEqual([]);
    const mounts = [{ path: "/", deploymentName, stripPath: false }];
    await configured.apply({ domains: { "api.bücher.example": { mounts } } });
    expect(await configured.steps({ domains: { "api.bücher.example": { mounts } } })).toEqual([]);
    const twice = { "api.bücher.example": { deploymentName }, "API.BÜCHER.example": { deploymentName } };
    expectProblem(await configured.plan({ domains: twice }), 400, "validation_failed", {
      pointer: "/configuration/domains/API.BÜCHER.example",
    });
  });

  describe("rejects", () => {
    test("a file of a newer format", async () => {
      const response = await configured.client.post(`${configured.path}/$plan`, {
        configuration: { version: 2, gadgets: {} },
      });
      expectProblem(response, 400, "validation_failed", { pointer: "/configuration/version" });
      expect(response.body.errors[0].detail).toContain("upgrade the server");
      expect(response.body.errors).toContainEqual({
        pointer: "/configuration/gadgets",
        detail: "is not a field of this request",
      });
    });

    test.each(
      casesFor(engine, [
        [{ webhooks: { billing: { ...hook, events: [] } } }, "/configuration/webhooks/billing/events"],
        [{ webhooks: { "Not A Name": hook } }, "/configuration/webhooks/Not A Name"],
        [{ webhooks: { billing: { ...hook, url: "ftp://acme.example" } } }, "/configuration/webhooks/billing/url"],
        [{ plans: { shop: { gold: { ...gold, meters: {} } } } }, "/configuration/plans/shop/gold/meters"],
        [{ keyBuckets: { main: { id: "bckt_1" } } }, "/configuration/keyBuckets/main/id"],
        [{ portals: { main: {} } }, "/configuration/portals/main/title"],
        [
          { keyBuckets: { main: {} }, portals: { main: { title: "A", host: "a.example" } } },
          "/configuration/portals/main/host",
        ],
        [
          { keyBuckets: { main: {} }, portals: { main: { title: "A", meteringBucket: "none" } } },
          "/configuration/portals/main/meteringBucket",
        ],
        [{ domains: { localhost: { deploymentName: "x" } } }, "/configuration/domains/localhost/host"],
        [{ domains: { "a.example": { deploymentName: "x" } } }, "/configuration/domains/a.example/deploymentName"],
        [{ variables: { orders: { "NOT-A-NAME": { value: "1" } } } }, "/configuration/variables/orders/NOT-A-NAME"],
        [
          { variables: { orders: { A: { isSecret: true, value: secretValue } } } },
          "/configuration/variables/orders/A/value",
        ],
        [
          { variables: { orders: { A: { isSecret: true, valueFrom: { env: "NOT_SET" } } } } },
          "/configuration/variables/orders/A/valueFrom/env",
        ],
      ]),
    )("%j", async (configuration, pointer) => {
      expectProblem(await configured.plan(configuration), 400, "validation_failed", { pointer });
      expect(await configured.dump()).toEqual({ version: 1 });
    });

    test("plans of a bucket that does not exist, with the other errors", async () => {
      const response = await configured.plan({
        plans: { nowhere: { gold } },
        domains: { "a.example": { deploymentName: "x" } },
        keyBuckets: { main: {} },
      });
      expectProblem(response, 409, "configuration_conflict", { pointer: "/configuration/plans/nowhere/gold" });
      expect(response.body.errors).toHaveLength(2);
    });

    test("prune without a name, and unknown fields", async () => {
      expectProblem(await configured.plan({}, { prune: true }), 400, "validation_failed", { pointer: "/prune" });
      expectProblem(await configured.plan({}, { force: true }), 400, "validation_failed", { pointer: "/force" });
      expectProblem(await configured.client.post(`${configured.path}/$apply`, {}), 400, "validation_failed", {
        pointer: "/planId",
      });
    });

    test("a changed isRetrievable", async () => {
      await configured.apply({ keyBuckets: { main: {} } });
      const response = await configured.plan({ keyBuckets: { main: { isRetrievable: false } } });
      expectProblem(response, 400, "validation_failed", { pointer: "/configuration/keyBuckets/main/isRetrievable" });
    });

    test("rejects the deletion of a bucket that is not empty", async () => {
      await configured.apply(
        { keyBuckets: { main: {} }, meteringBuckets: { shop: {} }, plans: { shop: { gold } } },
        { as: "shop" },
      );
      await configured.client.post(`/v1/accounts/${configured.name}/key-buckets/main/consumers`, { name: "acme" });
      const { data } = (await configured.client.get("/v1/metering/shop/plans")).body;
      await subscribe(configured.client, "/v1/metering/shop", data);
      const more = { as: "shop", prune: true };
      const response = await configured.plan({ keyBuckets: {}, meteringBuckets: {}, plans: {} }, more);
      expectProblem(response, 409, "configuration_conflict", { pointer: "/configuration/keyBuckets/main" });
      expect(response.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
        "/configuration/plans/shop/gold",
        "/configuration/meteringBuckets/shop",
        "/configuration/keyBuckets/main",
      ]);
      // The plans of the bucket are not mentioned, so they are not deleted with it.
      const left = await configured.plan({ meteringBuckets: {} }, more);
      expectProblem(left, 400, "validation_failed", { pointer: "/configuration/meteringBuckets/shop" });
      expect(left.body.errors[0].detail).toContain("gold");
      expect(await buckets()).toEqual(["main"]);
    });

    test("more than 1,000 steps", async () => {
      const plans = (bucket: string) =>
        Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`${bucket}-${n}`, gold]));
      const configuration = { meteringBuckets: { a: {}, b: {} }, plans: { a: plans("a"), b: plans("b") } };
      const response = await configured.plan(configuration);
      expectProblem(response, 400, "validation_failed", { pointer: "/configuration" });
      expect(response.body.detail).toContain("1004 steps");
    });
  });

  test("leaves out webhooks and metering buckets without a name, and says so", async () => {
    await configured.client.post(`/v1/accounts/${configured.name}/webhooks`, hook);
    await configured.client.post("/v1/metering", {});
    const { body } = await configured.client.get(configured.path);
    expect(body).toEqual({ configuration: { version: 1 }, unnamed: { meteringBuckets: 1, webhooks: 1 } });
  });

  test("many consumers stay as they are, and keep their bucket from being pruned", async () => {
    await configured.apply({ keyBuckets: { main: {} } }, { as: "shop" });
    // PostgreSQL takes several times as long to insert them.
    const many = engine.name === "sqlite" ? 100_000 : 10_000;
    const numbers =
      engine.name === "sqlite"
        ? `(WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < ${many}) SELECT n FROM up)`
        : `generate_series(1, ${many}) AS up(n)`;
    const bucket = `(SELECT seq FROM key_buckets WHERE name = 'main' AND account_seq =
      (SELECT seq FROM accounts WHERE name = '${configured.name}'))`;
    await runSql(
      server.database,
      `INSERT INTO consumers (id, bucket_seq, name, version, created_on, updated_on)
        SELECT 'csmr_' || n, ${bucket}, 'consumer-' || n, 1, 0, 0 FROM ${numbers}`,
    );
    const state = async () =>
      tableContent(
        server.database,
        `(SELECT count(*) AS total, sum(version) AS versions, max(updated_on) AS latest FROM consumers) AS state`,
      );
    const before = await state();
    expect(Number(before[0]!.total)).toBeGreaterThanOrEqual(many);
    await configured.apply({ keyBuckets: { main: { description: "changed" } } }, { as: "shop", prune: true });
    expectProblem(
      await configured.plan({ keyBuckets: {} }, { as: "shop", prune: true }),
      409,
      "configuration_conflict",
    );
    expect(await state()).toEqual(before);
  });

  /** Adds metering buckets to the account. Returns their names. */
  const addBuckets = async (count: number) => {
    await runSql(
      server.database,
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
        INSERT INTO metering_buckets (id, account_seq, name, version, created_on, updated_on)
        SELECT 'mtr_' || n, seq, 'bucket-' || n, 1, 0, 0 FROM numbers, accounts WHERE name = '${configured.name}'`,
    );
    return Array.from({ length: count }, (_, index) => `bucket-${index + 1}`);
  };

  test("a dump contains the buckets of all pages", async () => {
    // A page has 100.
    const names = await addBuckets(201);
    expect(Object.keys((await configured.dump()).meteringBuckets)).toEqual(names);
  });

  // A request with more is rejected before storage is used.
  if (engine === sqlite)
    test("a dump contains more than 1,000 buckets, which a request may not", async () => {
      const names = await addBuckets(1_001);
      const configuration = await configured.dump();
      expect(Object.keys(configuration.meteringBuckets)).toEqual(names);
      const rejected = await configured.plan(configuration);
      expect(rejected).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: "/configuration/meteringBuckets", detail: "must have at most 1000 members" }] },
      });
    });

  test("a large configuration is read in slices", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `bucket-${index}`);
    const plansOf = (name: string) =>
      Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`${name}-${index}`, gold]));
    const configuration = {
      meteringBuckets: Object.fromEntries(names.map((name) => [name, {}])),
      plans: Object.fromEntries(names.map((name) => [name, plansOf(name)])),
    };
    await configured.apply(configuration);
    let isOver = false;
    let turns = 0;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    const dumped = configured.dump().finally(() => {
      isOver = true;
    });
    setImmediate(count);
    expect(await dumped).toEqual({ version: 1, ...configuration });
    // The plans of each bucket are a page.
    expect(turns).toBeGreaterThan(names.length);
  });
});
