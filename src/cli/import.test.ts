import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eachEngine } from "../../test/support/engines.ts";
import { useCli } from "../../test/support/use-cli.ts";

eachEngine((engine) => {
  const bench = useCli({}, engine);

  async function written(name: string, content: string): Promise<string> {
    await writeFile(join(bench.cli.folder, name), content);
    return name;
  }

  const verdict = async (bucket: string, key: string) => {
    const result = await bench.client.verifyKey(bucket, key);
    return result.valid ? result.consumer.name : result.code;
  };

  describe("from Kong", () => {
    const yaml = `
_format_version: "3.0"
consumers:
- username: Acme Inc.
  custom_id: cus_1
  tags: [gold]
  keyauth_credentials:
  - key: A9dyKp2sXr71LqWm0ZtB
  - key: s3cret!
- username: beta
  basicauth_credentials:
  - username: beta
    password: hidden
- tags: [nameless]
keyauth_credentials:
- consumer: beta
  key: key-of-beta-with-a-ttl
  created_at: 4000000000
  ttl: 60
- consumer: beta
  key: "{vault://env/key}"
- consumer: nobody
  key: key-of-nobody-at-all
`;

    test("a dry run reports what would be created, and changes nothing", async () => {
      const { cli, client } = bench;
      const file = await written("kong.yaml", yaml);
      const { status, stdout, stderr } = await cli.run(`import kong ${file} --bucket kong --dry-run`);
      expect(status).toBe(0);
      expect(stdout).toBe("2 consumers to create, 0 existing.\n3 keys: 2 with their value, 1 by hash.\n");
      expect(stderr).toContain("consumers[2]: it has neither `username` nor `custom_id`");
      expect(stderr).toContain("consumers[1].basicauth_credentials: only keys are imported");
      expect(stderr).toContain("keyauth_credentials[1]: the value is a reference to a vault");
      expect(stderr).toContain("keyauth_credentials[2]: its consumer is not in the file");
      expect(stderr).toContain("Acme Inc. → acme-inc");
      expect(stderr + stdout).not.toContain("s3cret!");
      expect((await client.buckets.list().all()).map(({ name }) => name)).not.toContain("kong");
    });

    test("customers keep their keys, with tags and expiry", async () => {
      const { cli, client } = bench;
      const file = await written("kong.yaml", yaml);
      const { status, stderr } = await cli.run(`import kong ${file} --bucket kong`);
      expect(status).toBe(0);
      expect(stderr).toContain("2 created.\nKeys: 3 created, 0 existing.\n");
      expect(await verdict("kong", "A9dyKp2sXr71LqWm0ZtB")).toBe("acme-inc");
      expect(await verdict("kong", "s3cret!")).toBe("acme-inc");
      expect(await client.consumers("kong").get("acme-inc")).toMatchObject({
        tags: { gold: true },
        metadata: { kongUsername: "Acme Inc.", kongCustomId: "cus_1" },
      });
      const [key] = await client.keys("kong", "beta").list().all();
      expect(key!.expiresOn).toBe("2096-10-02T07:07:40.000Z");
    });

    test("a second run creates only what is missing", async () => {
      const { cli } = bench;
      const more = yaml.replace("  - key: s3cret!", "  - key: s3cret!\n  - key: another-key-since-then");
      const file = await written("kong.yaml", more);
      const { status, stderr } = await cli.run(`import kong ${file} --bucket kong`);
      expect(status).toBe(0);
      expect(stderr).toContain("0 created, 2 existing.\nKeys: 1 created, 3 existing.\n");
      expect(await verdict("kong", "another-key-since-then")).toBe("acme-inc");
    });
  });

  describe("from Zuplo", () => {
    const apiKeys = [
      { id: "key_1", key: "zpka_0123456789abcdef_0011", expiresOn: "2099-01-01T00:00:00.000Z", description: "prod" },
      { id: "key_2", key: "****0022" },
    ];
    const page = {
      data: [
        {
          name: "acme",
          tags: { plan: "gold" },
          metadata: { seats: 3 },
          managers: [{ email: "ann@acme.example" }],
          apiKeys,
        },
      ],
      limit: 1000,
      offset: 0,
      total: 1,
    };

    test("a saved page of consumers is imported, and masked keys are reported", async () => {
      const { cli, client } = bench;
      const file = await written("zuplo.json", JSON.stringify(page));
      const { status, stderr } = await cli.run(`import zuplo ${file} --bucket zuplo`);
      expect(status).toBe(0);
      expect(stderr).toContain("consumer 1 (acme), key 2: its value is masked; export with key-format=visible");
      expect(await verdict("zuplo", "zpka_0123456789abcdef_0011")).toBe("acme");
      const acme = await client.consumers("zuplo").get("acme", { includeApiKeys: true, includeManagerInvites: true });
      expect(acme).toMatchObject({
        tags: { plan: "gold" },
        metadata: { seats: 3 },
        managerInvites: [{ email: "ann@acme.example" }],
        apiKeys: [{ description: "prod", expiresOn: "2099-01-01T00:00:00.000Z" }],
      });
    });

    test("a consumer whose key belongs to another is rejected as a whole", async () => {
      const { cli, client } = bench;
      const file = await written("other.json", JSON.stringify([{ name: "other", apiKeys: apiKeys.slice(0, 1) }]));
      const { status, stderr } = await cli.run(`import zuplo ${file} --bucket zuplo`);
      expect(status).toBe(1);
      expect(stderr).toContain("✗ consumer 1 (other): one of its keys belongs to another consumer");
      await expect(client.consumers("zuplo").get("other")).rejects.toMatchObject({ status: 404 });

      await client.consumers("zuplo").create({ name: "other" });
      const again = await cli.run(`import zuplo ${file} --bucket zuplo`);
      expect(again.status).toBe(1);
      expect(again.stderr).toContain("✗ consumer 1 (other): one of its keys belongs to another consumer");
    });
  });

  describe("from CSV", () => {
    const sha256 = (value: string) => createHash("sha256").update(value).digest("base64");

    test("values and hashes are imported, a consumer's lines together", async () => {
      const { cli, client } = bench;
      const csv = [
        "consumer,tags.plan,key,sha256,suffix,description,permissions",
        "acme,gold,acme-key-of-16-chars,,,production,orders:*;invoices:read",
        `acme,,,${sha256("the hashed one")},one,staging,`,
        "lonely,,,,,,",
      ].join("\n");
      const file = await written("keys.csv", csv);
      const { status, stderr } = await cli.run(`import csv ${file} --bucket csv`);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "2 created.\nKeys: 2 created, 0 existing.\n" });
      expect(await verdict("csv", "the hashed one")).toBe("acme");
      expect(await client.keys("csv", "acme").list().all()).toMatchObject([
        { description: "production", permissions: ["orders:*", "invoices:read"] },
        { description: "staging", key: "****one", isRetrievable: false },
      ]);
      expect((await client.consumers("csv").get("lonely")).name).toBe("lonely");
    });

    test.each([
      [
        "csv",
        "consumer,key\nAcme,a-key-of-16-chars-1\nacme,a-key-of-16-chars-2\n",
        /"Acme" and "acme" would both become/,
      ],
      ["csv", "consumer,key,sha256\nacme,a,b\n", /line 2: has both key and sha256/],
      ["csv", "name\nacme\n", /no column "name"/],
      ["csv", "consumer\n", /contains no consumers/],
      ["kong", "services: []\n", /has no `consumers`/],
      ["zuplo", "{}", /has no list of consumers/],
      ["zuplo", "[", /is not JSON/],
      ["tyk", "", /"tyk" is not a format. Formats: zuplo, kong, csv/],
    ])("%s: a file with an error changes nothing (%#)", async (format, content, message) => {
      const { cli, client } = bench;
      const file = await written("wrong.txt", content);
      const { status, stderr } = await cli.run(`import ${format} ${file} --bucket wrong`);
      expect(status).toBe(2);
      expect(stderr).toMatch(message);
      expect((await client.buckets.list().all()).map(({ name }) => name)).not.toContain("wrong");
    });
  });
});
