import { afterEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { eachEngine } from "../../test/support/engines.ts";
import { useCli } from "../../test/support/use-cli.ts";
import { overlaid } from "./commands/configuration.ts";

eachEngine((engine) => {
  const bench = useCli({}, engine);

  const file = `version: 1
keyBuckets:
  main: { keyPrefix: acme }
meteringBuckets:
  shop: {}
plans:
  shop:
    gold: { label: Gold, meters: { requests: { max: 1000 } } }
webhooks:
  billing: { url: "https://acme.example/hook", events: ["key.*"] }
variables:
  orders:
    REGION: { value: eu }
    UPSTREAM_TOKEN: { isSecret: true, valueFrom: { env: UPSTREAM_TOKEN } }
`;

  const write = (name: string, text: string) => writeFile(join(bench.cli.folder, name), text);
  const run = (words: string, more: Record<string, string> = {}, stdin?: string) =>
    bench.cli.run(words, {
      environment: { ...bench.cli.environment, UPSTREAM_TOKEN: "s3cr3t-of-the-upstream", ...more },
      ...(stdin !== undefined && { stdin }),
    });

  /** The account is empty before each test. */
  afterEach(async () => {
    await write(
      "empty.yaml",
      "{version: 1, keyBuckets: {}, plans: {}, meteringBuckets: {}, webhooks: {}, variables: {}}",
    );
    await run("apply --file empty.yaml --as shop --prune --yes");
    expect((await bench.client.configuration.get()).configuration).toEqual({ version: 1 });
  });

  test("apply prints its steps and what it did; the second one is a line that nothing changes", async () => {
    await write("tollgate.yaml", file);
    const first = await run("apply --as shop --yes");
    expect(first).toMatchObject({ status: 0, stderr: "Applied 6 steps.\n" });
    expect(first.stdout).toContain('+ plans shop gold\n    label: "Gold"\n    meters.requests.max: 1000\n');
    expect(first.stdout).toContain("(Takes effect with the next deployment.)");
    expect(first.stdout).toContain('value: "changed"');
    expect(first.stdout).not.toContain("s3cr3t");
    expect(await run("apply --as shop --yes")).toEqual({ status: 0, stdout: "Nothing to change.\n", stderr: "" });
    // Without steps there is nothing to confirm.
    expect((await run("apply")).status).toBe(0);
  });

  test("diff exits with 1 if there are differences, with 0 if there are none, and with 2 after an error", async () => {
    await write("tollgate.yaml", file);
    await run("apply --as shop --yes");
    expect(await run("diff")).toEqual({ status: 0, stdout: "", stderr: "There are no differences.\n" });
    await write("tollgate.yaml", file.replace("max: 1000", "max: 500"));
    const { status, stdout, stderr } = await run("diff");
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: "~ plans shop gold\n    meters.requests.max: 1000 → 500\n",
      stderr: expect.stringMatching(/^1 to update: http:.*\/console\/configuration\/cfgp_\w+\n$/),
    });
    const json = JSON.parse((await run("diff --json")).stdout);
    expect(json).toMatchObject({ status: "planned", steps: [{ kind: "plans", action: "update" }] });
    // A field with its default value is no difference.
    const rollover = "price: {currency: EUR, amount: '0', interval: month}, rollover: {requests: {maximum: 50}}";
    await write("tollgate.yaml", file.replace("label: Gold", `label: Gold, ${rollover}`));
    expect((await run("diff")).stdout).toContain("rollover.requests.periods: (none) → 1\n");
    await run("apply --as shop --yes");
    expect(await run("diff")).toMatchObject({ status: 0, stderr: "There are no differences.\n" });
    expect((await run("dump")).stdout).toContain("rollover:");
    await write("tollgate.yaml", file.replace("max: 1000", "max: -1"));
    const failed = await run("diff");
    expect(failed.status).toBe(2);
    expect(failed.stderr).toContain("\n  plans.shop.gold.meters.requests.max must be at least 0");
    expect((await run("diff --file nowhere.yaml")).status).toBe(2);
  });

  test("what dump prints is what was applied, and applies elsewhere through a pipe", async () => {
    await write("tollgate.yaml", file);
    await run("apply --as shop --yes");
    const { stdout } = await run("dump");
    expect(stdout).toStartWith(
      `# yaml-language-server: $schema=${bench.server.url}/schemas/configuration.json\nversion: 1\n`,
    );
    expect(parse(stdout)).toEqual(parse(file));
    expect(await run("apply --file -", {}, stdout)).toEqual({ status: 0, stdout: "Nothing to change.\n", stderr: "" });
    expect(JSON.parse((await run("dump --json")).stdout)).toEqual(parse(file));
  });

  test("dump --from reads the profile, also if TOLLGATE_URL is set", async () => {
    const { TOLLGATE_TOKEN: token, TOLLGATE_URL: url, ...anonymous } = bench.cli.environment;
    const login = await bench.cli.run(`login ${url} --profile staging --token-stdin`, {
      environment: anonymous,
      stdin: token,
    });
    expect(login.status).toBe(0);
    const elsewhere = { TOLLGATE_URL: "http://127.0.0.1:9", TOLLGATE_TOKEN: "other" };
    const { status, stdout } = await run("dump --from staging", elsewhere);
    expect(status).toBe(0);
    expect(parse(stdout)).toEqual({ version: 1 });
    expect((await run("dump --from nowhere")).stderr).toContain('There is no profile "nowhere"');
  });

  test("later files overlay earlier ones, and null removes", async () => {
    await write("tollgate.yaml", file);
    await write(
      "production.yaml",
      "keyBuckets: { main: { description: Production } }\nwebhooks: null\nplans: { shop: { gold: { meters: { requests: { max: 9 } } } } }",
    );
    await run("apply --file tollgate.yaml --file production.yaml --as shop --yes");
    const { configuration } = await bench.client.configuration.get();
    expect(configuration).toMatchObject({
      keyBuckets: { main: { keyPrefix: "acme", description: "Production" } },
      plans: { shop: { gold: { label: "Gold", meters: { requests: { max: 9 } } } } },
    });
    expect(configuration.webhooks).toBeUndefined();
  });

  test("an overlay replaces lists, and a null that removes nothing stays", () => {
    expect(overlaid({ a: { b: [1, 2], c: 1 } }, { a: { b: [3], c: null } })).toEqual({ a: { b: [3] } });
    expect(overlaid({ a: {} }, { a: { main: null } })).toEqual({ a: { main: null } });
  });

  test("a member without a value is an error, not a deletion", async () => {
    await write("tollgate.yaml", file);
    await run("apply --as shop --yes");
    await write("half.yaml", "version: 1\nkeyBuckets:\n  main:\n");
    const { status, stderr } = await run("apply --file half.yaml --as shop --prune --yes");
    expect(status).toBe(1);
    expect(stderr).toContain("\n  keyBuckets.main must be an object");
  });

  describe("apply", () => {
    test("does nothing without a confirmation", async () => {
      await write("tollgate.yaml", file);
      const { status, stderr, stdout } = await run("apply");
      expect(status).toBe(2);
      expect(stdout).toContain("+ keyBuckets main");
      expect(stderr).toContain("Confirm with --yes");
      expect(await bench.client.buckets.list().all()).toEqual([]);
    });

    test("prints the applied plan as JSON", async () => {
      await write("tollgate.yaml", "version: 1\nkeyBuckets: { main: {} }");
      const applied = JSON.parse((await run("apply --as shop --yes --json")).stdout);
      expect(applied).toMatchObject({ status: "applied", as: "shop", steps: [{ action: "create", name: "main" }] });
    });

    test("names a secret that is not set in the environment", async () => {
      await write("tollgate.yaml", file.replace("env: UPSTREAM_TOKEN", "env: NOT_SET"));
      const { status, stderr } = await run("apply --yes");
      expect(status).toBe(1);
      expect(stderr).toContain("is not set in the environment: NOT_SET");
    });

    test("explains a file that is missing, broken, or of a newer version", async () => {
      expect((await run("apply --file nowhere.yaml")).stderr).toContain("nowhere.yaml does not exist.\n");
      await write("broken.yaml", "keyBuckets: {\n");
      expect((await run("apply --file broken.yaml")).stderr).toContain("broken.yaml is neither YAML nor JSON");
      await write("twice.yaml", "version: 1\nkeyBuckets: { main: {}, main: {} }\n");
      expect((await run("apply --file twice.yaml")).stderr).toContain("Map keys must be unique at line 2, column 25\n");
      expect((await run("apply twice.yaml")).stderr).toContain("A file is named with --file twice.yaml\n");
      await write("list.yaml", "- version\n");
      expect((await run("apply --file list.yaml")).stderr).toContain("must be an object");
      await write("newer.yaml", "version: 2\n");
      expect((await run("apply --file newer.yaml")).stderr).toContain("upgrade the server");
      expect((await run("apply --prune")).stderr).toContain("--prune needs --as");
    });
  });

  test("dump names what it leaves out", async () => {
    const webhook = await bench.client.webhooks.create({ url: "https://acme.example/hook", events: ["*"] });
    expect((await run("dump")).stderr).toBe(
      "Left out: 1 webhook without a name. To include it: tollgate webhooks update ID --name NAME\n",
    );
    await run(`webhooks update ${webhook.id} --name billing`);
    expect(parse((await run("dump")).stdout).webhooks).toHaveProperty("billing");
    expect((await run("webhooks show billing")).status).toBe(0);
    await bench.client.webhooks.delete("billing");
  });
});
