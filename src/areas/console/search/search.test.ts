import { beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { billed, invoicesOf, monthly, ok, setProfile } from "../../../../test/support/billing.ts";
import { newBucketPath } from "../../../../test/support/bucket-path.ts";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { createPlan, newMeteringBucket, subscribe } from "../../../../test/support/metering.ts";
import { requestUpload } from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account, operatorToken } from "../../../../test/support/server-settings.ts";

const path = `/v1/accounts/${account}/search`;

eachEngine((engine) => {
  const { client } = useServer(engine);
  const search = async (q: string) => {
    const { status, body } = await client.get(`${path}?q=${encodeURIComponent(q)}`);
    expect(status).toBe(200);
    return body.data as { type: string; id: string; name: string; path: string; detail?: string }[];
  };
  const named = async (q: string) => (await search(q)).map(({ type, name }) => `${type} ${name}`);

  const bucket = newBucketPath();
  const metering = { path: "" };
  const made = { consumerId: "", key: "", keyId: "", planId: "", subscriptionId: "", deployment: "" };

  beforeAll(async () => {
    for (const name of ["zebra", "zebra-2", "zeb"])
      expect((await client.post(`${bucket}/consumers`, { name })).status).toBe(200);
    const { body } = await client.post(`${newBucketPath()}/consumers?with-api-key=true`, { name: "zebra-n1" });
    Object.assign(made, { consumerId: body.id, key: body.apiKeys[0].key, keyId: body.apiKeys[0].id });
    metering.path = await newMeteringBucket(client);
    const plan = await createPlan(client, metering.path, { planExternalId: "zebra_n100%" });
    await createPlan(client, metering.path, { planExternalId: "zebraXn100%" });
    const subscription = await subscribe(client, metering.path, [plan], { customerKey: "zebra_customer%é" });
    Object.assign(made, { planId: plan.id, subscriptionId: subscription.id });
    await requestUpload(client, { accountName: account, project: "zebra-api", branch: "main" });
    made.deployment = (await search("zebra-api-"))[0]!.name;
  });

  test("finds by the beginning of words, types in their order, names in theirs", async () => {
    const all = [
      "consumer zebra",
      "consumer zebra-2",
      "consumer zebra-n1",
      `deployment ${made.deployment}`,
      "plan zebraXn100%",
      "plan zebra_n100%",
      "subscription zebra_customer%é",
    ];
    for (const q of ["zebra", "ZEBRA", "zebr"]) expect((await named(q)).toSorted()).toEqual(all.toSorted());
    expect(await named("zebra")).toEqual(all);
    expect((await named("z"))[0]).toBe("consumer zeb");
    // The hash at the end of the deployment's name contains no n.
    expect(await named("zebra-n1")).toEqual(["consumer zebra-n1", "plan zebra_n100%"]);
    expect(await named("zebra-n12")).toEqual([]);
    // Customer keys of subscriptions are found by their beginning.
    expect((await named("ebra")).toSorted()).toEqual(all.slice(0, -1).toSorted());
  });

  test("finds consumers by words of their description and tags, and by the address of a manager", async () => {
    const consumer = `${bucket}/consumers/nw-17`;
    const input = { name: "nw-17", description: "Northwind Träders, Seattle", tags: { tier: "Platinum" } };
    const { body } = await client.post(`${bucket}/consumers`, input);
    await client.post(`${consumer}/managers`, { sub: "kim", email: "Kim@Northwind.example" });
    const found = [{ type: "consumer", id: body.id, name: "nw-17", path: consumer, detail: input.description }];
    for (const q of ["Northwind", "traders", "TRÄD", "sea north", "platinum", "17 nw"])
      expect(await search(q)).toEqual(found);
    expect(await search("kim@north")).toEqual([{ ...found[0]!, detail: "Kim@Northwind.example" }]);
    for (const q of ["wind", "northwind berlin"]) expect(await search(q)).toEqual([]);

    await client.patch(consumer, { description: "Contoso", tags: null });
    for (const q of ["seattle", "platinum"]) expect(await search(q)).toEqual([]);
    expect(await search("contoso")).toEqual([{ ...found[0]!, detail: "Contoso" }]);
    await client.delete(consumer);
    expect(await search("contoso")).toEqual([]);
  });

  test("forgives typos in names, words typed as one, and their middles", async () => {
    const shops = newBucketPath();
    const made = async (name: string, displayName?: string) =>
      (await ok(client.post(`${shops}/consumers`, { name, ...(displayName && { displayName }) }))).id as string;
    const blue = await made("blue-door-books", "Blue Door Books");
    await made("evergreen", "Evergreen Ltd");
    await made("wintergreen");
    const first = async (q: string) => (await search(q))[0]?.name;
    for (const q of ["bluedoor", "BlueDoorBo", "doorbooks", "blue doors boks", "bleu door", "Bule Door"])
      expect({ q, first: await first(q) }).toEqual({ q, first: "blue-door-books" });
    expect((await search("blue door books"))[0]).toMatchObject({ id: blue, displayName: "Blue Door Books" });
    for (const q of ["evergren", "evrgreen", "vergreen", "ever green", "evregeen", "everygreeen"])
      expect({ q, first: await first(q) }).toEqual({ q, first: "evergreen" });
    // Beginnings are before middles, and typos are forgiven only if nothing else is found.
    await made("greenhouse");
    expect(await named("green")).toEqual(["consumer greenhouse", "consumer evergreen", "consumer wintergreen"]);
    expect(await named("intergreen")).toEqual(["consumer wintergreen"]);
    for (const q of ["evxxxeen", "grn", "bluedoorxx"]) expect({ q, found: await named(q) }).toEqual({ q, found: [] });
    // A word is forgotten with the last consumer that has it.
    await client.patch(`${shops}/consumers/evergreen`, { displayName: "Pine" });
    expect(await first("evergren")).toBe("evergreen");
    for (const name of ["evergreen", "wintergreen"]) await client.delete(`${shops}/consumers/${name}`);
    for (const q of ["intergreen", "evergren"]) expect(await named(q)).toEqual([]);
    expect(await first("reenhouse")).toBe("greenhouse");
    expect(await named("pine")).toEqual([]);
  });

  test("finds consumers by the domain of a manager, and subscriptions by ids of other systems", async () => {
    const consumer = `${bucket}/consumers/nw-18`;
    await client.post(`${bucket}/consumers`, { name: "nw-18" });
    await client.post(`${consumer}/managers`, { sub: "lou", email: "Lou@Marmot-Mail.example" });
    for (const q of ["marmot-mail.example", "@Marmot-mail", "lou@marm"])
      expect(await search(q)).toMatchObject([{ type: "consumer", name: "nw-18", detail: "Lou@Marmot-Mail.example" }]);
    expect(await search("mail.example")).toEqual([]);
    const plan = await createPlan(client, metering.path, {});
    const ids = { subscriptionExternalId: "sub_1Marmot", customerExternalId: "cus_9Marmot" };
    const { id } = await subscribe(client, metering.path, [plan], { customerKey: "nw-18", ...ids });
    for (const q of Object.values(ids))
      expect(await search(q)).toMatchObject([{ type: "subscription", id, name: "nw-18", detail: q }]);
    expect(await search("cus_8Marmot")).toEqual([]);
    await client.delete(consumer);
  });

  test("finds a plan by its label, and names it so", async () => {
    const plan = await createPlan(client, metering.path, { label: "Tiger of 100_% ü", planExternalId: "cat" });
    const found = [expect.objectContaining({ type: "plan", id: plan.id, name: plan.label })];
    for (const q of ["Tiger", "Tiger of 100_% ü"]) expect(await search(q)).toEqual(found);
    expect(await named("cat")).toEqual(["plan cat"]);
    for (const q of ["tiger", "Tiger_", "of", "100 tig"]) expect(await search(q)).toEqual(found);
    for (const q of ["iger", "tigers", "tgier"]) expect(await search(q)).toEqual(found);
    for (const q of ["igerX", "tigersss", "tgi"]) expect(await search(q)).toEqual([]);
    // A plan is found once, even if several of its fields match.
    await client.patch(`${metering.path}/plans/${plan.id}`, { label: "cat of 100" });
    expect(await named("cat")).toEqual(["plan cat"]);
    expect(await search("Tiger")).toEqual([]);
  });

  test("treats percent signs and underscores as literal characters", async () => {
    expect(await named("zebra_n100%")).toEqual(["plan zebra_n100%"]);
    expect(await named("%")).toEqual([]);
    expect(await named("zebra_customer%é")).toEqual(["subscription zebra_customer%é"]);
  });

  test("finds by id, and each path is that of the resource", async () => {
    for (const [type, id] of [
      ["consumer", made.consumerId],
      ["plan", made.planId],
      ["subscription", made.subscriptionId],
      ["key", made.keyId],
    ]) {
      for (const q of [id!, id!.slice(0, -3)]) {
        const found = await search(q);
        expect(found).toContainEqual(expect.objectContaining({ type, id }));
        const { body } = await client.get(found.find((item) => item.id === id)!.path);
        expect(body.id).toBe(id);
      }
    }
    const [deployment] = await search(made.deployment);
    expect((await client.get(deployment!.path)).body.name).toBe(made.deployment);
  });

  test("finds deployments by their host", async () => {
    for (const host of [`${made.deployment}.`, `${made.deployment}.localhost`, `${made.deployment}.LOCALHOST:`])
      expect(await named(host)).toEqual([`deployment ${made.deployment}`]);
    expect(await named(`${made.deployment}.example`)).toEqual([]);
  });

  test("finds keys by the characters that their mask shows, and by no more", async () => {
    for (const q of [made.key.slice(-8), made.key.slice(-5), `****${made.key.slice(-8)}`])
      expect(await search(q)).toContainEqual(
        expect.objectContaining({ type: "key", id: made.keyId, name: `****${made.key.slice(-8)}` }),
      );
    expect(await search(made.key.slice(-9))).toEqual([]);
    expect(await search(made.key)).toEqual([]);
  });

  test("finds a key by the hash of its whole value", async () => {
    const hash = createHash("sha256").update(made.key).digest("hex");
    for (const q of [`sha256:${hash}`, `SHA256:${hash.toUpperCase()}`])
      expect(await search(q)).toEqual([expect.objectContaining({ type: "key", id: made.keyId, detail: "zebra-n1" })]);
    expect(await search(`sha256:${hash.slice(1)}0`)).toEqual([]);
  });

  test("finds invoices by their number and by id", async () => {
    await setProfile(client, { numberPrefix: "Quokka-" });
    const billing = await billed(client, "2031-01-01T00:00:00.000Z", monthly("30.00"));
    const [invoice] = await invoicesOf(client, billing.bucket);
    const found = {
      type: "invoice",
      id: invoice.id,
      name: invoice.number,
      path: `${billing.bucket}/invoices/${invoice.id}`,
      detail: "acme",
    };
    expect(invoice.number).toBe("TEST-Quokka-000001");
    for (const q of [invoice.number, "TEST-Quo", invoice.id, "quokka-000001", "quokka 1", "test-quokka-1"])
      expect(await search(q)).toEqual([found]);
    expect(await search("000001")).toContainEqual(found);
    for (const q of [`${invoice.number}0`, "koala-000001"]) expect(await search(q)).toEqual([]);
  });

  test("finds webhooks and members", async () => {
    const webhook = await ok(
      client.post(`/v1/accounts/${account}/webhooks`, {
        url: "https://hooks.yak.example/in?token=secret",
        events: ["key.created"],
        description: "Yak alerts",
      }),
    );
    for (const q of ["yak", "hooks.YAK", webhook.id, "alerts"])
      expect(await search(q)).toEqual([
        {
          type: "webhook",
          id: webhook.id,
          name: "hooks.yak.example/in",
          path: `/v1/accounts/${account}/webhooks/${webhook.id}`,
          detail: "Yak alerts",
        },
      ]);
    expect(await search("secret")).toEqual([]);
    const member = await ok(
      client.post(`/v1/accounts/${account}/members`, { email: "gnu@example.com", name: "Gina Nu", role: "reader" }),
    );
    for (const q of ["gnu@ex", "nu gina"])
      expect(await search(q)).toMatchObject([{ type: "member", name: "Gina Nu", detail: "gnu@example.com, reader" }]);
    expect((await client.get((await search("gnu@"))[0]!.path)).body.id).toBe(member.id);
    const reader = await callerWithRole(client, "reader");
    expect((await reader.get(`${path}?q=gina`)).body).toEqual({ data: [] });
  });

  test("a search returns at most 20 results", async () => {
    const crowd = newBucketPath();
    for (let index = 0; index < 25; index++)
      await client.post(`${crowd}/consumers`, { name: `crowd-${String(index).padStart(2, "0")}` });
    const found = await named("crowd");
    expect(found.length).toBe(20);
    expect(found).toEqual(found.toSorted());
  });

  describe("the list of consumers with q", () => {
    const names = async (query: string) => {
      const { body } = await client.get(`${bucket}/consumers?${query}`);
      return { names: body.data.map(({ name }: { name: string }) => name), total: body.total };
    };

    test("has those whose names begin so, in the order of creation", async () => {
      expect(await names("q=zebra")).toEqual({ names: ["zebra", "zebra-2"], total: 2 });
      expect(await names("q=zeb&limit=1&offset=1")).toEqual({ names: ["zebra-2"], total: 3 });
      expect(await names("q=")).toMatchObject({ total: 3 });
      expect(await names("q=x")).toEqual({ names: [], total: 0 });
      expect(await names("q=zeb_a")).toEqual({ names: [], total: 0 });
    });

    test("a search by prefix can be combined with other filters", async () => {
      await client.patch(`${bucket}/consumers/zeb`, { tags: { plan: "gold" } });
      expect(await names("q=zeb&tag.plan=gold")).toEqual({ names: ["zeb"], total: 1 });
      expect(await names("q=zebra&tag.plan=gold")).toEqual({ names: [], total: 0 });
      await client.post(`${bucket}/consumers/zebra/managers`, { sub: "kim", email: "kim@acme.example" });
      expect(await names("q=zeb&manager-email=kim@acme.example")).toEqual({ names: ["zebra"], total: 1 });
    });
  });

  test("finds nothing of another account, and needs a reader", async () => {
    const name = `search-${engine.name}`;
    const stranger = await strangerOf(client, name);
    for (const q of ["zebra", made.keyId, made.key.slice(-8)])
      expect((await stranger.get(`/v1/accounts/${name}/search?q=${q}`)).body).toEqual({ data: [] });
    expectProblem(await stranger.get(`${path}?q=zebra`), 404, "not_found");
    expectProblem(await client.anonymous().get(`${path}?q=zebra`), 401, "unauthenticated");
    expectProblem(await (await callerWithRole(client, "verifier")).get(`${path}?q=zebra`), 403, "forbidden");
    expect((await (await callerWithRole(client, "reader")).get(`${path}?q=zebra-n1`)).body.data.length).toBe(2);
    expect((await client.as(operatorToken).get(`${path}?q=zebra-n1`)).body.data.length).toBe(2);
  });

  test.each(["", "?q=", `?q=${"x".repeat(257)}`, "?q=a&q=b"])("rejects %j", async (query) => {
    expectProblem(await client.get(path + query), 400, "validation_failed", { pointer: "?q" });
  });
});
