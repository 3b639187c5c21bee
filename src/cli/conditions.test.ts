import { beforeAll, describe, expect, test } from "bun:test";
import { useCli } from "../../test/support/use-cli.ts";
import type { Page } from "../client/index.ts";

const bench = useCli();

beforeAll(async () => {
  for (const [name, plan] of [
    ["gilt", "gold"],
    ["gratis", "free"],
  ] as const)
    await bench.client.consumers("main").create({ name, tags: { plan }, apiKeys: [{}] });
});

const left = async () => (await bench.client.bucketKeys("main").list().all()).map(({ consumer }) => consumer.name);

describe("a condition that is given twice", () => {
  test.each([
    ["keys revoke --where tag.plan=gold --where tag.plan=free --yes", 'tag.plan: "gold" and "free"'],
    ["keys revoke --where enabled=false --where enabled=true --yes", 'enabled: "false" and "true"'],
    ["keys enable --where permission=a --where permission=b --yes", 'permission: "a" and "b"'],
    ["consumers purge --where tag.plan=gold --where tag.plan=free --yes", 'tag.plan: "gold" and "free"'],
    ["consumers tag --where q=g --where q=gr --add a=b", 'q: "g" and "gr"'],
  ])("with two values is rejected, and nothing is changed: tollgate %s", async (words, values) => {
    const { status, stdout, stderr } = await bench.cli.run(words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(`Error: --where has two values for ${values}\n`);
    expect(await left()).toEqual(["gilt", "gratis"]);
  });

  test("a condition that is given twice with the same value counts once", async () => {
    const where = "--where tag.plan=gold --where tag.plan=gold --where enabled=true --where enabled=true";
    expect(await bench.cli.json(`keys revoke ${where} --dry-run`)).toMatchObject({ matched: 1 });
  });
});

test.each([
  ["unused-since=abc", 'unused-since must be a time such as 2026-01-31T10:00:00Z, or 30d for 30 days ago, not "abc"'],
  ["expires-before=abc", "expires-before must be a time such as 2030-01-31T10:00:00Z, or from now such as 30d or 12h"],
  ["never-used=banana", 'never-used must be true or false, not "banana"'],
])("a condition with a bad value is named: --where %s", async (condition, message) => {
  const { status, stderr } = await bench.cli.run(`keys revoke --where ${condition} --yes`);
  expect(status).toBe(2);
  expect(stderr).toContain(`Error: --where ${message}`);
  expect(await left()).toEqual(["gilt", "gratis"]);
});

describe("a tag that is given twice", () => {
  test.each(["keys list --tag", "consumers list --tag"])("must match both values: tollgate %s", async (command) => {
    const option = command.split(" ").at(-1);
    const total = async (words: string) => (await bench.cli.json<Page<unknown>>(words)).total;
    expect(await total(`${command} plan=gold ${option} plan=free`)).toBe(0);
    expect(await total(`${command} plan=free ${option} plan=free`)).toBe(1);
  });

  test("as --if-tag: no consumer has both, so none is found or deleted", async () => {
    const { cli, client } = bench;
    for (const [first, second] of [
      ["gold", "free"],
      ["free", "gold"],
    ]) {
      const words = `consumers delete gratis --if-tag plan=${first} --if-tag plan=${second} --yes`;
      const { status, stderr } = await cli.run(words);
      expect(status).toBe(1);
      expect(stderr).toContain("not_found");
    }
    expect(await client.consumers("main").get("gratis")).toMatchObject({ name: "gratis" });
    expect((await cli.run("consumers show gratis --if-tag plan=free --if-tag plan=free")).status).toBe(0);
  });

  test("a tag that is given twice with two values to set is rejected", async () => {
    const { status, stderr } = await bench.cli.run("consumers create twice --tag plan=gold --tag plan=free");
    expect(status).toBe(2);
    expect(stderr).toContain('--tag has two values for plan: "gold" and "free"');
    expect((await bench.client.consumers("main").list({ namePrefix: "twice" }).page()).total).toBe(0);
  });
});

describe("keys find", () => {
  test("finds a key whose mask is shorter than the text, and no other key with the same end", async () => {
    const { cli, client } = bench;
    const short = "own-key-01234567";
    const middle = "own-key-for-20-chars";
    const long = "another-key-of-forty-characters-x0124567";
    const keys = client.keys("found", "acme");
    await client.consumers("found").create({ name: "acme" });
    const ids = new Map<string, string>();
    for (const key of [short, middle, long]) ids.set(key, (await keys.create({ key })).id);
    const find = async (text: string) =>
      (await cli.json<Page<{ id: string }>>(["keys", "find", text, "--bucket", "found"])).data.map(({ id }) => id);
    for (const key of [short, middle, long]) expect(await find(key)).toEqual([ids.get(key)!]);
    expect(await find("01234567")).toEqual([ids.get(short)!]);
    expect(await find("****4567")).toEqual([ids.get(short)!, ids.get(long)!]);
    expect(await find("chars")).toEqual([ids.get(middle)!]);
  });

  test("reports when no key matches", async () => {
    const { status, stdout, stderr } = await bench.cli.run("keys find no-such-key-0123456789zz --bucket found");
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: "",
      stderr: "There are no keys with these last characters.\n",
    });
  });
});

test("a list whose filters match nothing prints a note", async () => {
  const { stderr } = await bench.cli.run("consumers list --name nobody-is-called-so");
  expect(stderr).toBe("There are no such consumers.\n");
  expect((await bench.cli.run("keys list --suffix zzzz --bucket found")).stderr).toBe("There are no such keys.\n");
});

describe("confirmation of bulk changes", () => {
  test.each([
    ["keys disable --where tag.plan=gold", "Disable 1 key, which stops working immediately?"],
    ["keys revoke --where enabled=true", "Delete 2 keys, which stop working immediately?"],
    ["consumers purge --where tag.plan=gold", "Delete 1 consumer with 1 key, which stops working immediately?"],
  ])("tollgate %s asks for confirmation", async (words, question) => {
    const { status, stderr } = await bench.cli.run(words);
    expect(status).toBe(2);
    expect(stderr).toContain(question);
    expect(await left()).toEqual(["gilt", "gratis"]);
  });

  test("is not required if nothing matches", async () => {
    const { cli } = bench;
    const none = { status: 0, stdout: "" };
    expect(await cli.run("keys revoke --where tag.plan=none")).toEqual({
      ...none,
      stderr: "There are no such keys.\n",
    });
    expect(await cli.run("keys enable --where tag.plan=gold")).toEqual({
      ...none,
      stderr: "There are no such keys.\n",
    });
    expect(await cli.run("consumers purge --where q=zzz")).toEqual({
      ...none,
      stderr: "There are no such consumers.\n",
    });
    expect(await cli.json("keys revoke --where tag.plan=none")).toEqual({ results: [] });
    const missing = await cli.run("keys revoke --id key_nope --json");
    expect(missing).toMatchObject({ status: 1, stderr: "Not found: key_nope\n" });
    expect(JSON.parse(missing.stdout)).toEqual({ results: [{ id: "key_nope", status: "not_found" }] });
  });
});

describe("a name or id that does not exist", () => {
  const ids = async (consumer: string) => (await bench.client.keys("main", consumer).list().all()).map(({ id }) => id);

  test("is reported with exit code 1 when keys are changed by id", async () => {
    const { cli } = bench;
    const [id] = await ids("gilt");
    const none = await cli.run("keys revoke --id key_nope --yes");
    expect(none).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("Not found: key_nope\n") });
    const words = `--id key_nope --id ${id} --id key_none`;
    const dry = await cli.run(`keys revoke ${words} --dry-run`);
    expect(dry).toMatchObject({ status: 1, stderr: "1 key.\nNot found: key_nope, key_none\n" });
    const partly = await cli.run(`keys disable ${words} --yes`);
    expect(partly).toMatchObject({ status: 1, stderr: "Disabled 1 key.\nNot found: key_nope, key_none\n" });
    const json = await cli.run(`keys enable ${words} --yes --json`);
    expect(json).toMatchObject({ status: 1, stderr: "Not found: key_nope, key_none\n" });
    expect(JSON.parse(json.stdout).results).toHaveLength(3);
    expect(await cli.run(`keys disable --id ${id} --yes`)).toMatchObject({
      status: 0,
      stderr: "Disabled 1 key.\n",
    });
    await cli.run(`keys enable --id ${id} --yes`);
  });

  test("is counted if the preview is too long to list it", async () => {
    const { cli, client } = bench;
    await client.consumers("many").create({ name: "acme", apiKeys: Array.from({ length: 12 }, () => ({})) });
    const all = (await client.keys("many", "acme").list().all()).flatMap(({ id }) => ["--id", id]);
    const dry = await cli.run(["keys", "revoke", "--bucket", "many", ...all, "--id", "key_nope", "--dry-run"]);
    expect(dry).toMatchObject({ status: 1, stderr: "10 of 12 keys.\nNot found: 1 of 13\n" });
  });

  test("is reported with exit code 1 when consumers are changed by name", async () => {
    const { cli, client } = bench;
    await client.consumers("main").create({ name: "brief" });
    const tagged = await cli.run("consumers tag --name brief --name nobody --add a=b");
    expect(tagged).toMatchObject({ status: 1, stderr: "Changed 1 consumer.\nNot found: nobody\n" });
    const purged = await cli.run("consumers purge --name brief --name nobody --yes");
    expect(purged).toMatchObject({ status: 1, stderr: "Deleted 1 consumer.\nNot found: nobody\n" });
    expect((await cli.run("consumers purge --name brief --dry-run")).stderr).toContain("Not found: brief\n");
  });
});
