import { expect, test } from "bun:test";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { handOff, PortalBrowser, setPortal } from "../../../../test/support/portal.ts";
import { useServer } from "../../../../test/support/server.ts";

const reason = "Invoice WB-12 is overdue.";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  async function scene(names = ["acme"]) {
    const bucket = newBucketPath();
    const keys: string[] = [];
    for (const name of names) {
      const { body } = await client.post(`${bucket}/consumers?with-api-key=true`, { name });
      keys.push(body.apiKeys[0].key);
    }
    const path = `${bucket}/consumers/${names[0]}`;
    const verdicts = () =>
      Promise.all(
        keys.map(async (key) => {
          const { body } = await client.post(`${bucket}/verify-key`, { key });
          return body.valid ? "valid" : body.code;
        }),
      );
    return { bucket, path, keys, verdicts };
  }

  test("a suspended consumer has a reason, and its keys are rejected at once until it is resumed", async () => {
    const { path, verdicts, keys, bucket } = await scene();
    expect(await verdicts()).toEqual(["valid"]);
    const suspended = await client.patch(path, { isSuspended: true, suspensionReason: reason });
    expect(suspended.body).toMatchObject({ isSuspended: true, suspensionReason: reason });
    expect((await client.get(path)).body).toMatchObject({ isSuspended: true, suspensionReason: reason });
    expect(await verdicts()).toEqual(["consumer_suspended"]);
    // Also keys that no cache has: new ones, disabled ones and those with rules.
    const { body: made } = await client.post(`${path}/keys`, { permissions: ["read"] });
    const verify = async () => (await client.post(`${bucket}/verify-key`, { key: made.key, permission: "read" })).body;
    expect(await verify()).toMatchObject({ valid: false, code: "consumer_suspended" });
    await client.patch(`${path}/keys/${made.id}`, { isEnabled: false });
    expect(await verify()).toMatchObject({ valid: false, code: "consumer_suspended" });

    // Another field leaves it suspended.
    expect((await client.patch(path, { description: "Acme" })).body).toMatchObject({ suspensionReason: reason });
    const resumed = (await client.patch(path, { isSuspended: false })).body;
    expect(resumed).not.toHaveProperty("isSuspended");
    expect(resumed).not.toHaveProperty("suspensionReason");
    expect(await verdicts()).toEqual(["valid"]);
    // Disabling a key stays what it is.
    expect(await verify()).toMatchObject({ valid: false, code: "disabled" });
    expect(keys).toHaveLength(1);

    const audit = `/v1/accounts/default/audit-log?resource=${resumed.id}`;
    const { data } = (await client.get(audit)).body;
    expect(JSON.stringify(data)).toContain(reason);
  });

  test("what is invalid, and callers that may not, change nothing", async () => {
    const { path, bucket, verdicts } = await scene();
    for (const [input, pointer] of [
      [{ isSuspended: "yes" }, "/isSuspended"],
      [{ isSuspended: null }, "/isSuspended"],
      [{ suspensionReason: reason }, "/suspensionReason"],
      [{ isSuspended: false, suspensionReason: reason }, "/suspensionReason"],
      [{ isSuspended: true, suspensionReason: "x".repeat(1001) }, "/suspensionReason"],
    ] as const)
      expectProblem(await client.patch(path, input), 400, "validation_failed", { pointer });
    const create = await client.post(`${bucket}/consumers`, { name: "other", isSuspended: true });
    expectProblem(create, 400, "validation_failed");
    const where = { names: ["acme"], set: { suspensionReason: reason } };
    expectProblem(await client.post(`${bucket}/consumers/$update`, where), 400, "validation_failed", {
      pointer: "/set/suspensionReason",
    });
    const input = { isSuspended: true };
    expectProblem(await client.anonymous().patch(path, input), 401, "unauthenticated");
    expectProblem(await (await callerWithRole(client, "reader")).patch(path, input), 403, "forbidden");
    const stranger = await strangerOf(client, `stranger-${bucket.split("-").at(-1)}`);
    expect((await stranger.patch(path, input)).status).toBe(404);
    expect((await client.get(path)).body).not.toHaveProperty("isSuspended");
    expect(await verdicts()).toEqual(["valid"]);
  });

  test("many are suspended and resumed at once", async () => {
    const { bucket, verdicts } = await scene(["one", "two", "three"]);
    expect(await verdicts()).toEqual(["valid", "valid", "valid"]);
    const set = { isSuspended: true, suspensionReason: reason };
    const { body } = await client.post(`${bucket}/consumers/$update`, { names: ["one", "three"], set });
    expect(body.results).toEqual([
      { name: "one", status: "updated" },
      { name: "three", status: "updated" },
    ]);
    expect(await verdicts()).toEqual(["consumer_suspended", "valid", "consumer_suspended"]);
    expect((await client.get(`${bucket}/consumers/three`)).body.suspensionReason).toBe(reason);
    await client.post(`${bucket}/consumers/$update`, { where: { q: "t" }, set: { isSuspended: false } });
    expect(await verdicts()).toEqual(["consumer_suspended", "valid", "valid"]);
    // Changing tags leaves it suspended.
    await client.post(`${bucket}/consumers/$update`, { names: ["one"], set: { addTags: { a: 1 } } });
    expect((await client.get(`${bucket}/consumers/one`)).body).toMatchObject({ isSuspended: true, tags: { a: 1 } });
  });

  test("in the portal, the customer signs in, reads the reason and may pay, and changes nothing", async () => {
    const { bucket, path } = await scene();
    const portal = `${bucket}/portal`;
    const { body: metering } = await client.post("/v1/metering");
    const { url } = await setPortal(client, { meteringBucket: metering.id }, portal);
    const signIn = async () => {
      const browser = new PortalBrowser(server, url);
      expect((await browser.signIn(await handOff(client, "acme", {}, portal))).status).toBe(200);
      return browser;
    };
    const before = await signIn();
    expect((await before.get("/session")).body).not.toHaveProperty("suspension");
    await client.patch(path, { isSuspended: true, suspensionReason: reason });
    for (const browser of [before, await signIn()]) {
      expect((await browser.get("/session")).body.suspension).toEqual({ reason });
      const keys = (await browser.get("/keys")).body.data;
      expect(keys).toHaveLength(1);
      const rejected = [
        await browser.post("/keys", {}),
        await browser.send("PATCH", `/keys/${keys[0].id}`, { description: "changed" }),
        await browser.send("DELETE", `/keys/${keys[0].id}`),
        await browser.post("/subscription/$choose", { planExternalId: "any" }),
        await browser.send("PATCH", "/billing", { legalName: "Other" }),
        await browser.send("DELETE", "/account", {}),
        await browser.post("/invites", { email: "jo@acme.example", scopes: [] }),
      ];
      for (const response of rejected) {
        expect([response.status, response.body.code]).toEqual([403, "consumer_suspended"]);
        expect(response.body.detail).toContain(reason);
      }
      expect((await browser.get("/keys")).body.data).toEqual(keys);
      // To pay is permitted: there is only nothing that is collected here.
      expect((await browser.post("/checkouts", {})).body.code).not.toBe("consumer_suspended");
    }
    expect((await before.send("DELETE", "/session")).status).toBe(204);
    await client.patch(path, { isSuspended: false });
    expect((await (await signIn()).post("/keys", {})).status).toBe(200);
  });
});
