import { describe, expect, test } from "bun:test";
import { operatorToken } from "../../test/support/server-settings.ts";
import { useCli } from "../../test/support/use-cli.ts";
import {
  type ApiKey,
  type Consumer,
  type MeteringBucket,
  type Page,
  type Plan,
  type Subscription,
  Tollgate,
  type Usage,
} from "../client/index.ts";

/** Runs each command once and checks its effect on the server, in the order in which a customer would need them. */
const bench = useCli();

describe("key buckets and consumers", () => {
  test("a bucket is created, changed, listed and deleted", async () => {
    const { cli, client } = bench;
    await cli.run("buckets create payments --prefix pay --not-retrievable --tag team=billing --description Payments");
    expect(await client.buckets.get("payments")).toMatchObject({
      keyPrefix: "pay",
      isRetrievable: false,
      tags: { team: "billing" },
      description: "Payments",
    });
    await cli.run("buckets update payments --prefix pmt --clear tags --clear description");
    expect(await cli.json("buckets show payments")).toEqual(await client.buckets.get("payments"));
    expect(await client.buckets.get("payments")).toMatchObject({ keyPrefix: "pmt" });
    expect(await client.buckets.get("payments")).not.toHaveProperty("tags");
    expect((await cli.run("buckets list")).stdout).toMatch(
      /^Name +Key prefix +Is retrievable +Created on\npayments +pmt +no/,
    );

    await client.consumers("payments").create({ name: "acme" });
    const rejected = await cli.run("buckets delete payments --yes");
    expect(rejected).toMatchObject({ status: 1, stdout: "" });
    expect(rejected.stderr).toContain("(bucket_not_empty)\n  → --force deletes its contents too.");
    expect((await cli.run("buckets delete payments --force --yes")).status).toBe(0);
    expect(await client.buckets.list().all()).toEqual([]);
  });

  test("a consumer is created with a key, found, changed and deleted", async () => {
    const { cli, client } = bench;
    const made = await cli.run([
      ..."consumers create acme --with-key --tag plan=gold --tag seats=12 --manager ann@acme.example --metadata".split(
        " ",
      ),
      '{"tier": {"level": 3}}',
    ]);
    expect(made.stderr).toBe("Store the value now: it may not be shown again.\n");
    const [key] = /tg_[0-9a-f]{32}_[0-9a-f]{8}/.exec(made.stdout)!;
    expect(await client.verifyKey("main", key)).toMatchObject({ valid: true, consumer: { name: "acme" } });
    expect(await client.consumers("main").get("acme", { includeManagerInvites: true })).toMatchObject({
      tags: { plan: "gold", seats: 12 },
      metadata: { tier: { level: 3 } },
      managerInvites: [{ email: "ann@acme.example" }],
    });

    await client.consumers("main").create({ name: "beta" });
    const found = await cli.json<Page<Consumer>>("consumers list --tag plan=gold --keys");
    expect(found).toMatchObject({
      total: 1,
      data: [{ name: "acme", apiKeys: [{ key: expect.stringMatching(/^\*{4}/) }] }],
    });
    const table = (await cli.run("consumers list --keys")).stdout;
    expect(table).toContain(`****${key.slice(-8)}`);
    expect(table).not.toContain("id=");
    expect(await cli.json<Page<Consumer>>("consumers list --limit 1")).toMatchObject({ limit: 1, offset: 0, total: 2 });
    expect((await cli.json<Page<Consumer>>("consumers list --limit 1 --all")).data.map(({ name }) => name)).toEqual([
      "acme",
      "beta",
    ]);
    expect((await cli.run("consumers list --limit 1")).stderr).toBe(
      "1 to 1 of 2; --all shows all, continue with --offset 1.\n",
    );
    expect((await cli.run("consumers list --limit 1 --offset 1")).stderr).toBe("2 to 2 of 2; --all shows all.\n");

    const shown = await cli.run("consumers show acme --key-format visible");
    expect(shown.stdout).toContain(key);
    expect(shown.stdout).toContain("Tags        plan=gold, seats=12\n");
    await cli.run("consumers update acme --tag plan=silver --clear metadata");
    expect(await client.consumers("main").get("acme")).toMatchObject({ tags: { plan: "silver" } });
    expect((await cli.run("consumers update acme --if-tag plan=gold --description no")).status).toBe(1);
    expect((await cli.run("consumers delete beta --yes")).stderr).toBe("Deleted the consumer beta of bucket main.\n");
    expect((await client.consumers("main").list().all()).map(({ name }) => name)).toEqual(["acme"]);
  });

  test("managers are added, invited, accepted and removed", async () => {
    const { cli, client } = bench;
    const added = await cli.json<{ id: string }>(["managers", "add", "acme", "auth0|ann", "--email", "a@acme.example"]);
    const invite = await cli.json<{ id: string }>("managers invite acme bob@acme.example");
    expect((await cli.run("managers invites acme")).stdout).toContain("bob@acme.example");
    await cli.run(["managers", "accept", "acme", invite.id, "auth0|bob"]);
    await cli.run(["managers", "delete", "acme", added.id, "--yes"]);
    expect((await client.managers("main", "acme").list().all()).map(({ sub }) => sub)).toEqual(["auth0|bob"]);
    const another = await cli.json<{ id: string }>("managers invite acme carol@acme.example");
    await cli.run(["managers", "withdraw", "acme", another.id, "-y"]);
    expect((await cli.run("managers invites acme")).stdout).not.toContain("carol@acme.example");
    expect((await cli.run("managers list acme")).stdout).toContain("auth0|bob");
  });

  test("consumers are tagged and deleted by conditions or by name, after a preview", async () => {
    const { cli, client } = bench;
    const consumers = client.consumers("main");
    for (const name of ["bulk-a", "bulk-b", "other-c"]) await consumers.create({ name, tags: { plan: "trial" } });
    const where = "--where tag.plan=trial --where q=bulk-";
    expect(await cli.json(`consumers tag ${where} --add plan=gold --dry-run`)).toMatchObject({ matched: 2 });
    expect((await consumers.get("bulk-a")).tags).toEqual({ plan: "trial" });
    await cli.run(`consumers tag ${where} --add plan=gold`);
    await cli.run("consumers tag --name other-c --remove plan");
    expect((await consumers.get("bulk-a")).tags).toEqual({ plan: "gold" });
    expect((await consumers.get("other-c")).tags).toBeUndefined();
    for (const wrong of [
      "consumers purge --yes",
      "consumers purge --where plan=gold --yes",
      "consumers purge --where tag.plan=gold --name bulk-a --yes",
      "consumers tag --name bulk-a",
    ])
      expect({ wrong, status: (await cli.run(wrong)).status }).toEqual({ wrong, status: 2 });
    expect((await cli.run("consumers purge --where tag.plan=gold --dry-run")).stdout).toContain("bulk-b");
    expect((await consumers.get("bulk-b")).name).toBe("bulk-b");
    await cli.run("consumers purge --where tag.plan=gold --yes");
    const left = await consumers.list().all();
    expect(left.map(({ name }) => name).filter((name) => /^(bulk|other)-/.test(name))).toEqual(["other-c"]);
    await consumers.delete("other-c");
  });
});

describe("keys", () => {
  test("are created, shown, changed and deleted", async () => {
    const { cli, client } = bench;
    const made = await cli.json<ApiKey>("keys create acme --description ci --expires-on 2030-01-31T10:00:00Z");
    expect(made).toMatchObject({
      description: "ci",
      expiresOn: "2030-01-31T10:00:00.000Z",
    });
    expect(await cli.json<ApiKey>(["keys", "show", "acme", made.id])).toMatchObject({
      key: `****${made.key!.slice(-8)}`,
    });
    await cli.run(["keys", "update", "acme", made.id, "--clear", "expiresOn", "--description", "other"]);
    expect(await client.keys("main", "acme").get(made.id)).toMatchObject({ expiresOn: null, description: "other" });
    expect((await cli.run("keys list acme --key-format visible")).stdout).toContain(made.key!);
    await cli.run(["keys", "delete", "acme", made.id, "--yes"]);
    expect(await client.verifyKey("main", made.key!)).toEqual({ valid: false, code: "not_found" });
  });

  test("with a given value are read from standard input, and verified from there", async () => {
    const { cli } = bench;
    const own = "my-own-key-0123456789";
    expect((await cli.run("keys create acme --key-stdin", { stdin: `${own}\n` })).status).toBe(0);
    const good = await cli.run("keys verify", { stdin: `${own}\n` });
    expect(good).toMatchObject({ status: 0, stderr: "" });
    expect(good.stdout).toContain("Valid     yes\n");
    expect(await cli.run("keys verify no-such-key-0123456789 --json")).toEqual({
      status: 1,
      stdout: '{\n  "valid": false,\n  "code": "not_found"\n}\n',
      stderr: "",
    });
    expect(await cli.run("keys create acme --key-stdin")).toMatchObject({ status: 2, stdout: "" });
  });

  test("with rules are created, changed, verified and found", async () => {
    const { cli, client } = bench;
    const rules = "--permission orders:* --permission a --allowed-ip 192.0.2.0/24 --rate-limit 600/60 --enabled true";
    const made = await cli.json<ApiKey>(`keys create acme ${rules} --metadata {"team":1}`);
    const fields = {
      isEnabled: true,
      permissions: ["orders:*", "a"],
      allowedIps: ["192.0.2.0/24"],
      rateLimit: { requests: 600, windowSeconds: 60 },
      metadata: { team: 1 },
    };
    expect(made).toMatchObject(fields);
    const verify = (options: string) => cli.run(`keys verify ${made.key} ${options} --json`);
    expect((await verify("--ip 192.0.2.7 --permission orders:read")).status).toBe(0);
    expect((await verify("--ip 198.51.100.1")).stdout).toContain("ip_not_allowed");
    expect((await verify("--ip 192.0.2.7 --permission b")).stdout).toContain("permission_missing");
    await cli.run(["keys", "update", "acme", made.id, "--enabled", "false", "--clear", "permissions"]);
    expect(await client.keys("main", "acme").get(made.id)).not.toHaveProperty("permissions");
    expect((await cli.run(`keys find ${made.key}`)).stdout).toContain(made.id);
    expect((await cli.json<Page<ApiKey>>("keys list --enabled false")).data.map(({ id }) => id)).toEqual([made.id]);
    expect((await cli.run("keys list acme --enabled false")).status).toBe(2);
    expect((await cli.run(`search ${made.key!.slice(-8)}`)).stdout).toContain(made.id);
    expect(await cli.json("search acm")).toMatchObject({ data: [{ type: "consumer", name: "acme" }] });
    expect(await cli.run("search zzzz")).toEqual({ status: 0, stdout: "", stderr: "Nothing was found.\n" });
    await client.keys("main", "acme").delete(made.id);
  });

  test("are revoked by conditions, after a preview", async () => {
    const { cli, client } = bench;
    await client.consumers("main").create({ name: "idle", tags: { plan: "free" }, apiKeys: [{}, {}] });
    const where = "--where tag.plan=free --where never-used=true";
    expect(await cli.json(`keys revoke ${where} --where created-before=90d --dry-run`)).toEqual({
      matched: 0,
      sample: [],
    });
    const dry = await cli.run(`keys revoke ${where} --dry-run`);
    expect(dry.stderr).toContain("2 keys.");
    await cli.run(`keys disable ${where} --yes`);
    const keys = await client.keys("main", "idle").list().all();
    expect(keys.map(({ isEnabled }) => isEnabled)).toEqual([false, false]);
    const enabled = async () => (await client.keys("main", "idle").list().all()).map(({ isEnabled }) => isEnabled);
    expect(await cli.json("keys enable --where tag.plan=free --dry-run")).toMatchObject({ matched: 2 });
    expect(await enabled()).toEqual([false, false]);
    expect((await cli.run(`keys enable --id ${keys[0]!.id} --yes`)).stderr).toContain("Enabled 1 key.");
    expect(await enabled()).toEqual([true, false]);
    // Keys that are enabled already are not counted.
    expect((await cli.run("keys enable --where tag.plan=free --yes")).stderr).toContain("Enabled 1 key.");
    expect(await enabled()).toEqual([true, true]);
    for (const wrong of ["keys enable --yes", "keys enable --where enabled=true --yes"])
      expect((await cli.run(wrong)).status).toBe(2);
    await cli.run(`keys revoke --id ${keys[0]!.id} --yes`);
    expect((await client.keys("main", "idle").list().all()).length).toBe(1);
    for (const wrong of ["keys revoke --yes", "keys revoke --where unused=90d", `keys revoke ${where} --id key_1`])
      expect((await cli.run(wrong)).status).toBe(2);
    expect((await cli.run("jobs show job_unknown")).stderr).toContain("not_found");
    await client.consumers("main").delete("idle");
  });

  test("are rolled: the new one is shown, the old ones expire", async () => {
    const { cli, client } = bench;
    const old = (await client.keys("main", "acme").create()).key!;
    const rolled = await cli.json<ApiKey>("keys roll acme --expires-on now");
    expect(await client.verifyKey("main", rolled.key!)).toMatchObject({ valid: true });
    expect(await client.verifyKey("main", old)).toEqual({ valid: false, code: "expired" });
  });

  test("one is rolled by its id: the new one has its rules, the others stay", async () => {
    const { cli, client } = bench;
    const keys = client.keys("main", "acme");
    const [production, staging] = await keys.createMany([{ permissions: ["shipments:*"] }, {}]);
    const rolled = await cli.json<ApiKey>(`keys roll acme --key ${production!.id} --expires-on now`);
    expect(rolled.permissions).toEqual(["shipments:*"]);
    expect(await client.verifyKey("main", rolled.key!)).toMatchObject({ valid: true });
    expect(await client.verifyKey("main", production!.key!)).toEqual({ valid: false, code: "expired" });
    expect(await client.verifyKey("main", staging!.key!)).toMatchObject({ valid: true });
    const again = await cli.run(`keys roll acme --key ${production!.id} --expires-on now`);
    expect(again).toMatchObject({ status: 1, stdout: "" });
    expect(again.stderr).toContain("key_not_rollable");
  });

  test("rolling to a value that cannot be read again requires an option", async () => {
    const { cli, client } = bench;
    await client.buckets.create({ name: "secretive", isRetrievable: false });
    await client.consumers("secretive").create({ name: "acme" });
    const rejected = await cli.run("keys roll acme --bucket secretive --expires-on now");
    expect(rejected).toMatchObject({ status: 2, stdout: "" });
    expect(rejected.stderr).toContain("the value of the new key could not be shown");
    expect(await client.keys("secretive", "acme").list().all()).toEqual([]);
    expect((await cli.run("keys roll acme --bucket secretive --expires-on now --yes")).status).toBe(0);
  });
});

describe("metering", () => {
  test("from creating a bucket to reporting usage and deleting it", async () => {
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
      /^time,key,isOther,verifications,rejected\r\n.*Z,,false,/,
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

describe("access", () => {
  test("tokens are created with their value, listed without it, and revoked", async () => {
    const { cli, client } = bench;
    const made = await cli.json<{ id: string; token: string }>(
      "tokens create --role reader --name dashboard --expires-on 30d",
    );
    const asReader = { ...cli.environment, TOLLGATE_TOKEN: made.token };
    expect(await cli.json("whoami", { environment: asReader })).toMatchObject({ role: "reader", account: "default" });
    const rejected = await cli.run("consumers create nope", { environment: asReader });
    expect(rejected).toMatchObject({ status: 1, stderr: expect.stringContaining("`tollgate whoami` shows your role") });
    for (const command of ["status", "accounts list"])
      expect(await cli.run(command)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/Only the operator .*\n.*tollgate login --profile operator/),
      });
    const listed = await cli.run("tokens list");
    expect(listed.stdout).toContain("dashboard");
    expect(listed.stdout).not.toContain(made.token);
    expect(await cli.json(["tokens", "show", made.id])).toEqual(await client.tokens.get(made.id));
    await cli.run(["tokens", "delete", made.id, "--yes"]);
    expect((await cli.run("whoami", { environment: asReader })).status).toBe(1);
  });

  test("only the operator sees the status of the server", async () => {
    const { cli, server } = bench;
    const environment = { ...cli.environment, TOLLGATE_TOKEN: operatorToken };
    const operator = new Tollgate({ url: server.url, token: operatorToken });
    const { version, storage } = await operator.systemStatus();
    expect(await cli.json("status", { environment })).toMatchObject({ version, storage: { engine: storage.engine } });
    const shown = await cli.run("status", { environment });
    expect(shown).toMatchObject({ status: 0, stderr: "" });
    expect(shown.stdout).toMatch(/^Version +\d[\s\S]*\nStorage +sqlite, [\s\S]*\nLast backup +none\n[\s\S]*\nkeys +\d/);
    expect(await cli.run("status")).toMatchObject({ status: 1, stdout: "" });
  });

  test("the operator creates accounts and manages them", async () => {
    const { cli } = bench;
    const environment = { ...cli.environment, TOLLGATE_TOKEN: operatorToken };
    await cli.run("accounts create other", { environment });
    expect((await cli.run("accounts list", { environment })).stdout).toContain("other");
    expect(await cli.json("accounts show other", { environment })).toMatchObject({ name: "other" });
    const nowhere = await cli.run("buckets list", { environment });
    expect(nowhere).toMatchObject({ status: 1, stderr: expect.stringContaining("--account NAME") });
    await cli.run("consumers create acme --account other", { environment });
    expect(await cli.json("consumers list --account other", { environment })).toMatchObject({ total: 1 });
    expect((await cli.run("accounts delete other --yes", { environment })).status).toBe(0);
  });
});
