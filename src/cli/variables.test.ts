import { describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { useCli } from "../../test/support/use-cli.ts";
import type { Variable } from "../client/index.ts";

const bench = useCli();
const secret = "the-token-of-the-upstream";

describe("variables", () => {
  test("a secret from standard input is set, listed without its value, and deleted", async () => {
    const { cli, client } = bench;
    const set = await cli.run("variables set UPSTREAM_TOKEN --secret --project shop", { stdin: `${secret}\n` });
    expect(set).toMatchObject({ status: 0, stderr: "" });
    expect(set.stdout).toMatch(/Name +UPSTREAM_TOKEN\nIs secret +yes\nEnvironments +production\n/);
    const listed = await cli.run("variables list --project shop");
    expect(listed.stdout).toMatch(/UPSTREAM_TOKEN +yes +production /);
    expect(set.stdout + listed.stdout).not.toContain(secret);
    expect((await cli.run("variables list --project other")).stderr).toBe("There are no variables.\n");

    expect(await cli.run("variables unset UPSTREAM_TOKEN --project shop")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("Confirm with --yes."),
    });
    expect(await client.variables("shop").list().all()).toHaveLength(1);
    expect(await cli.run("variables unset UPSTREAM_TOKEN --project shop --yes")).toMatchObject({
      status: 0,
      stderr: "Deleted the variable UPSTREAM_TOKEN of shop.\n",
    });
    expect(await client.variables("shop").list().all()).toEqual([]);
    const again = await cli.run("variables unset UPSTREAM_TOKEN --project shop --yes");
    expect(again.status).toBe(1);
    expect(again.stderr).toContain("not_found");
  });

  test("a secret as an argument prints a warning; a plain value does not", async () => {
    const { cli } = bench;
    const argued = await cli.run(["variables", "set", "TOKEN", secret, "--secret", "--project", "shop"]);
    expect(argued.status).toBe(0);
    expect(argued.stderr).toBe("The value is in the shell's history now. Use standard input to avoid that.\n");
    expect(argued.stdout).not.toContain(secret);
    const plain = await cli.json<Variable>("variables set REGION eu-west-1 --project shop");
    expect(plain).toMatchObject({
      name: "REGION",
      value: "eu-west-1",
      isSecret: false,
      environments: ["production", "preview"],
    });
  });

  test("a secret is not replaced by a plain value unless it is deleted first", async () => {
    const { cli, client } = bench;
    const project = "--project rotated";
    expect((await cli.run(`variables set TOKEN --secret ${project}`, { stdin: secret })).status).toBe(0);
    const plain = await cli.run(`variables set TOKEN ${project}`, { stdin: "another-token-of-it" });
    expect(plain).toMatchObject({ status: 2, stdout: "" });
    expect(plain.stderr).toContain("TOKEN is a secret; a plain value would be shown.");
    expect(plain.stderr).toContain("Add --secret");
    expect(await client.variables("rotated").get("TOKEN")).toMatchObject({ isSecret: true });
    expect((await cli.run(`variables set TOKEN --secret ${project}`, { stdin: "another-token-of-it" })).status).toBe(0);
    expect((await cli.run(`variables unset TOKEN --yes ${project}`)).status).toBe(0);
    expect((await cli.run(`variables set TOKEN eu-west-1 ${project}`)).status).toBe(0);
    expect(await client.variables("rotated").get("TOKEN")).toMatchObject({ isSecret: false, value: "eu-west-1" });
  });

  test("the project is read from the folder, and environments are named", async () => {
    const { cli, client } = bench;
    const cwd = join(cli.folder, "orders");
    await mkdir(cwd);
    const words = "variables set CERT --environment production --environment staging";
    expect((await cli.run(words, { cwd, stdin: "line 1\nline 2\n" })).status).toBe(0);
    const [variable] = await client.variables("orders").list().all();
    expect(variable).toMatchObject({ value: "line 1\nline 2", environments: ["production", "staging"] });
  });

  test("a variable that exists keeps its environments unless others are named", async () => {
    const { cli, client } = bench;
    const set = (words: string) => cli.json<Variable>(`variables set ${words} --project kept`, { stdin: secret });
    const both = ["production", "preview"];
    expect(await set("TOKEN --secret --environment production --environment preview")).toMatchObject({
      environments: both,
    });
    expect(await set("TOKEN --secret")).toMatchObject({ isSecret: true, environments: both });
    expect(await set("TOKEN --secret --environment staging")).toMatchObject({ environments: ["staging"] });
    expect(await set("REGION eu-west-1 --environment production")).toMatchObject({ environments: ["production"] });
    expect(await set("REGION us-east-1")).toMatchObject({ value: "us-east-1", environments: ["production"] });
    const rejected = await cli.run("variables set TOKEN plain --project kept");
    expect(rejected.status).toBe(2);
    expect(await client.variables("kept").get("TOKEN")).toMatchObject({ isSecret: true, environments: ["staging"] });
  });

  test("an empty value is set only by an argument, not by empty input", async () => {
    const { cli, client } = bench;
    await client.variables("empty").set("REGION", { value: "eu-west-1" });
    for (const stdin of ["", "\n"]) {
      const { status, stdout, stderr } = await cli.run("variables set REGION --project empty", { stdin });
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toContain("There is no value on standard input.\n");
      expect(stderr).toContain("tollgate variables set REGION ''");
      expect(await client.variables("empty").get("REGION")).toMatchObject({ value: "eu-west-1" });
    }
    const emptySecret = await cli.run("variables set TOKEN --secret --project empty");
    expect(emptySecret.status).toBe(2);
    expect(emptySecret.stderr).not.toContain("''");
    expect((await cli.run(["variables", "set", "REGION", "", "--project", "empty"])).status).toBe(0);
    expect(await client.variables("empty").get("REGION")).toMatchObject({ value: "" });
  });

  test("a rejected value names the field and changes nothing", async () => {
    const { cli, client } = bench;
    const short = await cli.run("variables set SHORT --secret --project rejected", { stdin: "short" });
    expect(short.status).toBe(1);
    expect(short.stderr).toMatch(/value.*8/);
    expect(short.stderr).not.toContain("short\n");
    const name = await cli.run("variables set 1NAME value --project rejected");
    expect(name.status).toBe(2);
    expect(name.stderr).toStartWith("Error: <name> must be 1 to 128 letters");
    const empty = await cli.run(["variables", "set", "", "value", "--project", "rejected"]);
    expect(empty.status).toBe(2);
    expect(empty.stderr).toStartWith("Error: <name> must not be empty");
    expect(await client.variables("rejected").list().all()).toEqual([]);
  });
});
