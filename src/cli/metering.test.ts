import { describe, expect, test } from "bun:test";
import { useCli } from "../../test/support/use-cli.ts";
import type { ApiKey, MeteringBucket, Page, Plan, Subscription, Usage } from "../client/index.ts";

const bench = useCli();

describe("metering", () => {
  test("metering works from creating a bucket to reporting usage and deleting it", async () => {
    const { cli, client } = bench;
    const none = await cli.run("plans list");
    expect(none).toMatchObject({ status: 2, stderr: expect.stringContaining("Create one: tollgate metering create") });
    const { id: bucketId } = await cli.json<MeteringBucket>("metering create");
    expect(await cli.json(["metering", "show", bucketId])).toEqual(await client.metering.get(bucketId));

    const words =
      "plans create price_gold --label Gold --meter requests=10 --meter-label requests=Requests --trial-days 14";
    const gold = await cli.json<Plan>(words);
    expect(gold).toMatchObject({ label: "Gold", meters: { requests: { label: "Requests", max: 10 } }, trialDays: 14 });
    const silver = await cli.json<Plan>("plans create price_silver --meter requests=5");
    await cli.run(["plans", "update", gold.id, "--meter", "requests=20", "--clear", "trialDays"]);
    expect(await cli.json<Plan>(["plans", "show", gold.id])).toMatchObject({ meters: { requests: { max: 20 } } });
    expect((await cli.run("plans list")).stdout).toContain("requests(max=20)");
    await cli.run("plans update price_silver --label Silver");
    expect(await cli.json("plans show price_silver")).toEqual(await client.plans(bucketId).get(silver.id));
    expect(await cli.json("plans show price_silver")).toMatchObject({ id: silver.id, label: "Silver" });
    for (const words of ["plans show price_tin", "plans delete price_tin --yes", "subscriptions list --plan price_tin"])
      expect(await cli.run(words)).toMatchObject({
        status: 2,
        stdout: "",
        stderr: expect.stringContaining(
          'There is no plan "price_tin" in the bucket.\n  → List them: tollgate plans list',
        ),
      });

    const made = await cli.json<Subscription>("subscriptions create acme --plan price_gold --renewal yearly");
    expect(made).toMatchObject({
      planIds: [gold.id],
      customerKey: "acme",
      status: "active",
      renewalStrategy: "yearly",
    });
    expect((await cli.run(["plans", "delete", gold.id, "--yes"])).stderr).toContain(
      "tollgate subscriptions list --plan ID",
    );

    await cli.run("consumers create acme");
    const { key } = await cli.json<ApiKey>("keys create acme");
    const verify = (options: string) => cli.run(`keys verify ${key} ${options} --json`);
    expect((await verify("--consume requests=21")).status).toBe(1);
    expect((await verify("--consume requests=1 --hold requests=1")).status).toBe(2);
    const released = JSON.parse((await verify("--hold requests=20")).stdout).holdId;
    expect((await verify(`--consume requests=1 --metering-bucket ${bucketId}`)).stdout).toContain("quota_exceeded");
    expect(await cli.run(`usage release ${released}`)).toMatchObject({ status: 0, stderr: `Released ${released}.\n` });
    const settled = JSON.parse((await verify("--hold requests=20")).stdout).holdId;
    expect(await cli.json(`usage settle ${settled}`)).toMatchObject({ meters: { requests: { used: 0 } } });

    expect((await cli.run("events send --customer acme --meter requests=7 --id 1")).stdout).toBe(
      "1 counted, 0 duplicates, 0 rejected\n",
    );
    const again = await cli.json("events send --customer acme --meter requests=7 --id 1");
    expect(again).toEqual({ accepted: 0, duplicates: 1, rejected: [] });
    expect(await cli.json<Usage>("usage show acme")).toMatchObject({ meters: { requests: { used: 7, max: 20 } } });
    expect((await cli.run(["usage", "consume", made.id, "--meter", "requests=13"])).status).toBe(0);
    const over = await cli.run("usage consume acme --meter requests=1");
    expect(over).toMatchObject({ status: 1, stderr: "Not allowed: nothing was consumed.\n" });
    expect((await cli.run("usage history acme --from -1h")).stdout).toMatch(/requests +20 +20\n$/);
    const ofPeriod = await cli.run("usage series acme --step 1d");
    expect(ofPeriod.stdout).toMatch(/requests +20\n$/);
    expect(ofPeriod.stderr).toStartWith("requests: 20 of 20");
    expect((await cli.run("usage series acme --from -40d")).stderr).toStartWith("requests: 20; a period allows 20");
    expect((await cli.run("usage list --near 0.8")).stdout).toMatch(/acme +100 % +requests=20\/20 /);
    const series = await cli.run("usage series acme --step 1d --csv");
    expect(series.stdout).toMatch(/^time,meter,used\r\n[\s\S]*Z,requests,20\r\n$/);
    const shares = await cli.run("usage list --csv --all");
    expect(shares.stdout).toMatch(/^subscriptionId,customerKey,.*\r\nsbsc_\w+,acme,active,.*,requests,20,20,0,1\r\n$/);
    expect((await cli.run("analytics --csv")).stdout).toMatch(/^time,key,isOther,requests,.*\r\n.*Z,,false,0,/);
    expect((await cli.run("audit list --csv --action plan.created")).stdout).toMatch(
      /^id,time,action,.*\r\n.*,plan\.created,/,
    );
    expect(await cli.run("usage list --csv --json")).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("Choose --csv or --json, not both."),
    });
    expect((await cli.run("usage list --near 1.1")).stderr).toBe("There are no such subscriptions.\n");
    expect((await cli.run("analytics --by route")).stderr).toMatch(/^0 requests from /);
    expect((await cli.run("verifications --by result")).stderr).toMatch(/^\d+ verifications from /);
    expect((await cli.run("verifications --csv")).stdout).toMatch(
      /^time,key,isOther,verifications,rejected,observed\r\n.*Z,,false,/,
    );
    expect(await cli.run("metering reconcile")).toMatchObject({ status: 0, stderr: "Counters and events agree.\n" });

    const change = ["subscriptions", "update", made.id, "--plan", silver.id, "--prorate", "0.5"];
    const dryRun = await cli.json([...change, "--dry-run"]);
    const preview = { planExternalIds: ["price_silver"], prorate: 0.5 };
    expect(dryRun).toEqual(await client.subscriptions(bucketId).preview(made.id, preview));
    expect((await cli.run([...change, "--dry-run"])).stdout).toContain("22.5");
    expect((await cli.json<Subscription>(["subscriptions", "show", made.id])).planIds).toEqual([gold.id]);
    expect(await cli.run([...change, "--dry-run", "--status", "canceled"])).toMatchObject({
      status: 2,
      stdout: "",
      stderr: expect.stringContaining("--dry-run can only be combined with --plan and --prorate."),
    });
    await cli.run(change);
    expect(await cli.json<Usage>("usage show acme")).toMatchObject({ meters: { requests: { used: 20, max: 22.5 } } });
    const second = await cli.run("subscriptions create acme --plan price_gold");
    expect([second.status, second.stdout]).toEqual([2, ""]);
    expect(second.stderr).toContain(made.id);
    expect(second.stderr).toContain("--replace or --additional");
    expect((await cli.run("subscriptions create acme --plan price_gold --replace --additional")).status).toBe(2);
    // The server rejects the new subscription: the old one stays active.
    const failed = await cli.run("subscriptions create acme --plan price_gold --replace --external-id=");
    expect(failed.status).not.toBe(0);
    expect((await client.subscriptions(bucketId).get(made.id)).status).toBe("active");
    const added = await cli.json<Subscription>("subscriptions create acme --plan price_gold --additional");
    expect(added).toMatchObject({ status: "active", subscriptionExternalId: "acme-2" });
    const replacing = await cli.json<Subscription>("subscriptions create acme --plan price_gold --replace");
    expect(replacing).toMatchObject({ status: "active", subscriptionExternalId: "acme" });
    for (const { id } of [made, added]) expect((await client.subscriptions(bucketId).get(id)).status).toBe("canceled");
    for (const { id } of [added, replacing]) await client.subscriptions(bucketId).delete(id);
    await client.subscriptions(bucketId).update(made.id, { status: "active" });

    await cli.run("subscriptions update acme --status canceled");
    expect((await cli.json<Page<Subscription>>("subscriptions list --customer acme")).data).toMatchObject([
      { id: made.id, status: "canceled" },
    ]);
    expect(await cli.json("subscriptions list --plan price_gold")).toMatchObject({ total: 0 });
    expect(await cli.json("subscriptions list --plan price_silver")).toMatchObject({ total: 1 });
    expect((await cli.json<Subscription>(["subscriptions", "show", made.id])).status).toBe("canceled");
    expect(await cli.json("subscriptions show acme")).toMatchObject({ id: made.id });
    expect(await cli.run("subscriptions show nobody")).toMatchObject({ status: 2, stdout: "" });
    await cli.run(["subscriptions", "delete", made.id, "--yes"]);
    await cli.run("plans delete price_gold --yes");
    expect((await client.plans(bucketId).list().all()).map(({ id }) => id)).toEqual([silver.id]);

    await client.metering.create();
    expect((await cli.run("plans list")).stderr).toContain(
      `--bucket is missing, and there are 2 metering buckets: ${bucketId}`,
    );
    expect((await cli.run(["metering", "delete", bucketId, "--yes"])).status).toBe(0);
    expect((await cli.json<Page<MeteringBucket>>("metering list")).total).toBe(1);
  });

  test("a consumer takes over the customer of a deleted one only with --adopt-customer", async () => {
    const { cli, client } = bench;
    const consumers = client.consumers("main");
    await consumers.create({ name: "former" });
    await cli.run("metering create --name adopted --key-bucket main");
    await cli.run("plans create price_adopted --bucket adopted --label Gold --meter requests=10");
    const known = await cli.run("subscriptions create former --bucket adopted --plan price_adopted");
    expect(known.stderr).not.toContain("No consumer is named");
    const unknown = await cli.run("subscriptions create nobody --bucket adopted --plan price_adopted");
    expect(unknown).toMatchObject({ status: 0, stderr: expect.stringContaining("No consumer is named nobody") });
    await consumers.delete("former");
    const rejected = await cli.run("consumers create former");
    expect(rejected).toMatchObject({ status: 1, stderr: expect.stringContaining("--adopt-customer") });
    const { id } = await cli.json<{ id: string }>("consumers create former --adopt-customer");
    expect((await client.customers("adopted").get("former")).consumerId).toBe(id);
    await cli.run("metering delete adopted --force --yes");
    await consumers.delete("former");
  });

  test("events are read from a file, one per line, and rejected lines are listed", async () => {
    const { cli } = bench;
    const event = (id: string, subject: string) =>
      JSON.stringify({ specversion: "1.0", id, source: "s", type: "t", subject, data: { requests: 1 } });
    const file = `${event("1", "nobody")}\n\n${event("2", "nobody")}\n`;
    for (const words of ["--customer acme", "--meter requests=1", "--id 1", "--time now"])
      expect(await cli.run(`events send --file - ${words}`, { stdin: file })).toMatchObject({
        status: 2,
        stderr: expect.stringContaining("cannot be combined with --file"),
      });
    const sent = await cli.run("events send --file -", { stdin: file });
    expect(sent).toMatchObject({ status: 1, stdout: "0 counted, 0 duplicates, 2 rejected\n" });
    expect(sent.stderr).toContain("✗ event 1: ");
    const broken = await cli.run("events send --file -", { stdin: `${event("1", "x")}\n{oops\n` });
    expect(broken).toMatchObject({ status: 2, stderr: expect.stringContaining("-, line 2 is not JSON") });
  });
});
