import { describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { useCli } from "../../test/support/use-cli.ts";
import type { ApiKey, Consumer, Page } from "../client/index.ts";

const bench = useCli();

async function written(name: string, content: string): Promise<string> {
  await writeFile(join(bench.cli.folder, name), content);
  return name;
}

describe("consumers from a file", () => {
  const csv = [
    "name,description,tags.plan,tags.seats,metadata,managers",
    'acme,"Acme, Inc.",gold,12,"{""tier"": 3}",ann@acme.example;bob@acme.example',
    "Bad Name,,,,,",
    "beta,,,,,",
    "",
  ].join("\r\n");

  test("are created with all fields of the file; rejected lines are listed", async () => {
    const { cli, client } = bench;
    const file = await written("consumers.csv", csv);
    const { status, stdout, stderr } = await cli.run(`consumers create --file ${file} --with-key`);
    expect(status).toBe(1);
    expect(stderr).toStartWith(
      "✗ line 3: name must be 1 to 128 characters of a-z, 0-9 and -\n2 created, 1 rejected.\n",
    );
    const made = await client.consumers("main").get("acme", { includeManagerInvites: true, includeApiKeys: true });
    expect(made).toMatchObject({
      description: "Acme, Inc.",
      tags: { plan: "gold", seats: 12 },
      metadata: { tier: 3 },
      managerInvites: [{ email: "ann@acme.example" }, { email: "bob@acme.example" }],
    });
    const [key] = /tg_[0-9a-f]{32}_[0-9a-f]{8}/.exec(stdout)!;
    expect(await client.verifyKey("main", key)).toMatchObject({ valid: true, consumer: { name: "acme" } });
  });

  test("a second run creates only the corrected line", async () => {
    const { cli, client } = bench;
    const file = await written("consumers.csv", csv.replace("Bad Name", "good-name"));
    const { status, stderr } = await cli.run(`consumers create --file ${file} --with-key`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "1 created, 2 existing.\n" });
    const all = await client.consumers("main").list({ includeApiKeys: true }).all();
    expect(all.map(({ name, apiKeys }) => [name, apiKeys!.length]).sort()).toEqual([
      ["acme", 1],
      ["beta", 1],
      ["good-name", 1],
    ]);
  });

  test("JSON is sent unchanged, and output has the format of the API", async () => {
    const { cli } = bench;
    const list = JSON.stringify([{ name: "j1", tags: { a: true } }, { name: "j2" }]);
    const page = await cli.json<Page<Consumer>>("consumers create --file - --bucket json", { stdin: list });
    expect(page).toMatchObject({ total: 2, data: [{ name: "j1", tags: { a: true } }, { name: "j2" }] });
    // The output of a list is a valid input file.
    const again = await cli.run("consumers create --file - --bucket json-copy", {
      stdin: JSON.stringify({ data: [{ name: "j1" }] }),
    });
    expect(again).toMatchObject({ status: 0, stderr: "1 created.\n" });
  });

  test.each([
    ["nam,description\na,b\n", 'there is no column "nam"; did you mean "name"?'],
    ["name\na,b\n", "line 2 has 2 values for 1 columns."],
    ['name\na\n"b\n', "line 3: a quote is opened and not closed."],
    ["name,metadata\na,{oops\n", "line 2, metadata: is not JSON"],
    ["name\n", "it is empty."],
    ["[1]", "item 1 is not an object."],
  ])("%j is rejected before anything is made", async (content, message) => {
    const { status, stderr } = await bench.cli.run("consumers create --file - --bucket untouched", { stdin: content });
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect((await bench.client.consumers("untouched").list().page()).total).toBe(0);
  });
});

describe("keys from a file", () => {
  test("are created in chunks of 1,000", async () => {
    const { cli, client } = bench;
    const rows = Array.from({ length: 2345 }, (_, index) => `acme,bulk ${index}`);
    const file = await written("many.csv", ["consumer,description", ...rows].join("\n"));
    const page = await cli.json<Page<ApiKey>>(`keys create --file ${file}`);
    expect(page.total).toBe(2345);
    expect(page.data.map(({ description }) => description)).toEqual(rows.map((row) => row.slice("acme,".length)));
    expect(await client.verifyKey("main", page.data[1234]!.key!)).toMatchObject({ valid: true });
    expect((await client.keys("main", "acme").list({ limit: 1 }).page()).total).toBe(2346);

    const again = await cli.run(`keys create --file ${file}`);
    expect(again).toEqual({ status: 0, stdout: "", stderr: "0 created, 2345 existing.\n" });
    expect((await client.keys("main", "acme").list({ limit: 1 }).page()).total).toBe(2346);
  });

  const csv = [
    "consumer,description,key,expiresOn",
    "beta,one,,30d",
    "beta,own,own-key-0123456789abcdef,",
    "beta,bad,short,",
    "nobody,x,,",
    "beta,,,",
    "beta,,,",
    "beta,twice,twice-key-0123456789abcdef,",
    "beta,twice again,twice-key-0123456789abcdef,",
  ].join("\n");

  test("an invalid line is removed from its chunk, and the rest is created", async () => {
    const { cli, client } = bench;
    const { status, stdout, stderr } = await cli.run("keys create --file -", { stdin: csv });
    expect(status).toBe(1);
    expect(stderr).toContain("✗ line 4: key must be 16 to 512 visible ASCII characters");
    expect(stderr).toContain("✗ line 5: nobody: No such consumer.");
    expect(stderr).toContain("✗ line 9: key ");
    expect(stderr).toContain("5 created, 3 rejected.");
    expect(stdout.trim().split("\n")).toHaveLength(6);
    expect((await client.keys("main", "beta").list().all()).length).toBe(1 + 5);
  });

  test("after a corrected second run each line has one key; --again creates another batch", async () => {
    const { cli, client } = bench;
    const count = async () => (await client.keys("main", "beta").list().page()).total;
    const fixed = csv.replace("short", "long-enough-0123456789").replace("nobody", "good-name");
    const again = await cli.run("keys create --file -", { stdin: fixed });
    expect(again.stderr).toContain("2 created, 5 existing, 1 rejected.");
    expect(await count()).toBe(1 + 6);
    await cli.run("keys create --file - --again", { stdin: "consumer,description\nbeta,one\nbeta,\n" });
    expect(await count()).toBe(1 + 6 + 2);
  });

  test("have permissions and addresses, separated by ;", async () => {
    const { cli } = bench;
    const rows = [
      "consumer,description,permissions,allowedIps",
      "acme,rules,orders:read; invoices:*,192.0.2.1;2001:db8::/32",
      "acme,no rules,,",
      "acme,bad rules,orders read!,192.0.2.1",
    ];
    const { status, stdout, stderr } = await cli.run("keys create --file - --json", { stdin: rows.join("\n") });
    const { data } = JSON.parse(stdout) as Page<ApiKey>;
    expect(data).toMatchObject([
      { permissions: ["orders:read", "invoices:*"], allowedIps: ["192.0.2.1", "2001:db8::/32"] },
      { description: "no rules" },
    ]);
    expect(data[1]).not.toContainAnyKeys(["permissions", "allowedIps"]);
    expect(stderr).toContain("✗ line 4: permissions/1 must be ");
    expect(status).toBe(1);
  });

  test("lines without value and description are recognized as a whole file; deleted keys are created again", async () => {
    const { cli, client } = bench;
    await client.consumers("main").create({ name: "nameless" });
    const make = () =>
      cli.json<Page<ApiKey>>("keys create nameless --file -", {
        stdin: "consumer,expiresOn\n,2040-01-31T10:00:00Z\n,\n,\n",
      });
    const first = await make();
    expect((await make()).data).toEqual(first.data);
    await client.keys("main", "nameless").delete(first.data[1]!.id);
    const again = await make();
    expect(again.data.map(({ id }) => id)).toEqual([first.data[0]!.id, first.data[2]!.id, again.data[2]!.id]);
    expect((await client.keys("main", "nameless").list().page()).total).toBe(3);
    const alike = { stdin: `consumer\n${"nameless\n".repeat(2000)}` };
    expect((await cli.run("keys create --file -", alike)).stderr).toBe("2000 created.\n");
    expect((await cli.run("keys create --file -", alike)).stderr).toBe("0 created, 2000 existing.\n");
    const relative = { stdin: "expiresOn\n30d\n" };
    expect((await cli.run("keys create nameless --file -", relative)).stderr).toBe("1 created.\n");
    expect((await cli.run("keys create nameless --file -", relative)).stderr).toBe("0 created, 1 existing.\n");
  });

  test("a key that belongs to another consumer is rejected, not moved", async () => {
    const { cli, client } = bench;
    const { status, stderr } = await cli.run("keys create acme --file -", { stdin: "key\nown-key-0123456789abcdef\n" });
    expect(status).toBe(1);
    expect(stderr).toContain("✗ line 2: the key belongs to beta");
    expect(await client.verifyKey("main", "own-key-0123456789abcdef")).toMatchObject({ consumer: { name: "beta" } });
  });

  test("a server that stops responding is exit code 3", async () => {
    const environment = { ...bench.cli.environment, TOLLGATE_URL: "http://127.0.0.1:1" };
    const { status, stderr } = await bench.cli.run("keys create acme --file -", {
      environment,
      stdin: "description\na\nb\n",
    });
    expect(status).toBe(3);
    expect(stderr).toContain("0 created, 2 not completed.");
    expect(stderr).toContain("Cannot connect to");
  });
});
