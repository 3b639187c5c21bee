import { expect, test } from "bun:test";
import { useConfiguredAccount } from "../../../../../test/support/configured-account.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { requestUpload } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";

eachEngine((engine) => {
  const configured = useConfiguredAccount(useServer(engine));

  test("changes the portal of a key bucket, and deletes only what it created", async () => {
    const logo =
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    await requestUpload(configured.client, { accountName: configured.name, project: "orders", branch: "main" });
    const [{ name: deployment }] = (await configured.client.get("/v1/deployments")).body.data;
    const portals = { main: { title: "Acme", logo, deployments: [deployment], links: [], keyLimit: 3 } };
    await configured.apply({ keyBuckets: { main: {} }, portals }, { as: "shop" });
    const path = `/v1/accounts/${configured.name}/key-buckets/main/portal`;
    expect((await configured.client.get(path)).body).toMatchObject({ ...portals.main, isEnabled: true });
    expect((await configured.dump()).portals).toEqual(portals);
    expect(await configured.steps({ portals })).toEqual([]);
    // A field that is left out has its default again.
    const [step] = (await configured.plan({ portals: { main: { title: "Acme API" } } })).body.steps;
    expect(step).toMatchObject({
      kind: "portals",
      name: "main",
      action: "update",
      before: { title: "Acme", keyLimit: 3, logo },
      after: { title: "Acme API", keyLimit: 10, isEnabled: true, deployments: [] },
    });
    expect(step.after).not.toHaveProperty("logo");
    await configured.apply({ portals: { main: { title: "Acme API", isEnabled: false } } });
    const changed = (await configured.client.get(path)).body;
    expect(changed).toMatchObject({ title: "Acme API", isEnabled: false, keyLimit: 10 });
    expect(changed).not.toHaveProperty("logo");
    // A kind that is not mentioned is not deleted with its bucket.
    expectProblem(await configured.plan({ keyBuckets: {} }, { as: "shop", prune: true }), 400, "validation_failed", {
      pointer: "/configuration/keyBuckets/main",
    });
    const pruned = await configured.plan({ keyBuckets: {}, portals: {} }, { as: "shop", prune: true });
    expect(pruned.body.steps).toMatchObject([
      { kind: "portals", action: "delete", notes: ["Its sessions end immediately."] },
      { kind: "keyBuckets", action: "delete" },
    ]);
    await configured.apply({ keyBuckets: {}, portals: {} }, { as: "shop", prune: true });
    expect((await configured.client.get(`/v1/accounts/${configured.name}/key-buckets`)).body.data).toEqual([]);
  });

  test("a portal that was set by the id of its metering bucket is dumped with the name", async () => {
    await configured.apply({ keyBuckets: { main: {} }, meteringBuckets: { shop: {} } });
    const { data } = (await configured.client.get("/v1/metering")).body;
    const settings = { title: "Acme", meteringBucket: data[0].id };
    const path = `/v1/accounts/${configured.name}/key-buckets/main/portal`;
    await configured.client.raw("PUT", path, JSON.stringify(settings));
    expect(await configured.steps({ portals: { main: settings } })).toEqual([]);
    const { portals } = await configured.dump();
    expect(portals).toEqual({ main: { title: "Acme", meteringBucket: "shop" } });
    await configured.apply({ portals });
    expect(await configured.steps({ portals })).toEqual([]);
  });

  test("the secret of a portal's identity provider is a reference, and a changed value is a step", async () => {
    const env = "MAIN_PORTAL_CLIENT_SECRET";
    const oidc = { issuer: "https://id.acme.example", clientId: "portal", clientSecretFrom: { env } };
    const portals = { main: { title: "Acme", oidc } };
    const withSecret = (value: string) => ({ secrets: { [env]: value } });
    await configured.apply({ keyBuckets: { main: {} }, portals }, withSecret("the first secret"));
    expect((await configured.dump()).portals).toEqual(portals);
    expect(await configured.steps({ portals }, withSecret("the first secret"))).toEqual([]);
    const { body } = await configured.plan({ portals }, withSecret("the second secret"));
    const { issuer, clientId } = oidc;
    expect(body.steps).toMatchObject([
      {
        action: "update",
        before: { oidc: { issuer, clientId } },
        after: { oidc: { issuer, clientSecret: "changed" } },
      },
    ]);
    expect(JSON.stringify(body)).not.toContain("second secret");
    await configured.apply({ portals }, withSecret("the second secret"));
    expect(await configured.steps({ portals }, withSecret("the second secret"))).toEqual([]);
    // A reader could try secrets: a plan without a step would confirm one.
    const { body: token } = await configured.client.post(`/v1/accounts/${configured.name}/tokens`, { role: "reader" });
    const reader = configured.client.as(token.token);
    const configuration = { version: 1, portals };
    const guess = { configuration, ...withSecret("the second secret") };
    const plans = `/v1/accounts/${configured.name}/configuration/$plan`;
    expectProblem(await reader.post(plans, guess), 403, "forbidden");
    expect((await reader.post(plans, { configuration: { version: 1, keyBuckets: { main: {} } } })).status).toBe(200);
    const pointer = "/configuration/portals/main/oidc/clientSecretFrom";
    // A stored secret is kept, and not sent to another provider.
    expect(await configured.steps({ portals })).toEqual([]);
    const elsewhere = { main: { ...portals.main, oidc: { ...oidc, issuer: "https://other.example" } } };
    expectProblem(await configured.plan({ portals: elsewhere }), 400, "validation_failed", {
      pointer: `${pointer}/env`,
    });
    expectProblem(await configured.plan({ portals }, withSecret("")), 400, "validation_failed", { pointer });
    const plain = { main: { title: "Acme", oidc: { issuer, clientId, clientSecret: "in the file" } } };
    expectProblem(await configured.plan({ portals: plain }), 400, "validation_failed", {
      pointer: "/configuration/portals/main/oidc/clientSecret",
    });
  });
});
