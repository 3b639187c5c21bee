import { describe, expect, test } from "bun:test";
import { operatorToken } from "../../test/support/server-settings.ts";
import { useCli } from "../../test/support/use-cli.ts";
import { type ApiKey, type Consumer, type Page, Tollgate } from "../client/index.ts";

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
    await cli.run(["consumers", "suspend", "--name", "bulk-a", "--reason", "Overdue."]);
    expect(await consumers.get("bulk-a")).toMatchObject({ isSuspended: true, suspensionReason: "Overdue." });
    const resumed = await cli.run("consumers resume --name bulk-a --name gone");
    expect(resumed).toMatchObject({ status: 1, stderr: expect.stringContaining("Resumed 1 consumer.") });
    expect((await consumers.get("bulk-a")).isSuspended).toBeUndefined();
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
    // The search for commands loads all of them, here in the real program.
    const { stdout } = await cli.runProcess(["search", "Roll keys", "--json"]);
    expect(JSON.parse(stdout).commands[0]).toMatchObject({ command: "tollgate keys roll" });
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
    const value = await cli.run("tokens create --role verifier --value");
    expect(value).toMatchObject({ status: 0, stdout: expect.stringMatching(/^tgt_\S+\n$/), stderr: "" });
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

test("what was not found is named, with the closest name", async () => {
  const { cli, client } = bench;
  await client.consumers("named").create({ name: "globex" });
  for (const words of ["consumers show gloebx", "keys create gloebx", "keys list gloebx"])
    expect((await cli.run(`${words} --bucket named`)).stderr).toStartWith(
      'Error: There is no consumer "gloebx" in the key bucket "named"; did you mean "globex"?\n  → ',
    );
  for (const words of ["consumers show globex", "consumers list", "keys list globex"]) {
    const { status, stderr } = await cli.run(`${words} --bucket nmaed`);
    expect({ status, stderr }).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('There is no key bucket "nmaed"; did you mean "named"?\n'),
    });
  }
  expect((await cli.run("consumers show zzzzzzzz --bucket named")).stderr).toContain('bucket "named".\n');
  expect((await cli.run("deployments show none")).stderr).toStartWith('Error: There is no deployment "none".\n');
  await client.buckets.delete("named", { force: true });
});

test("lists of the default bucket fail if it does not exist", async () => {
  const { cli, client } = bench;
  await client.buckets.delete("main", { force: true });
  for (const list of ["consumers list", "keys list", "keys list acme"])
    expect(await cli.run(list)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/There is no key bucket "main".*\n.*tollgate buckets list/),
    });
});
