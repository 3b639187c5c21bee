import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eachEngine } from "../../test/support/engines.ts";
import { IdentityProvider, newSigningKey, type SigningKey, sign } from "../../test/support/identity-provider.ts";
import { useCli } from "../../test/support/use-cli.ts";
import type { TrustedIssuer } from "../client/index.ts";

eachEngine((engine) => {
  const bench = useCli({}, engine);
  const subject = "repo:acme/shop:pull_request";
  let key: SigningKey;
  let provider: IdentityProvider;

  beforeAll(async () => {
    key = await newSigningKey("first");
    provider = await IdentityProvider.start([key]);
  });
  afterAll(() => provider.stop());

  const token = (claims: object = {}) => {
    const aud = `${bench.server.url}/v1/accounts/default`;
    return sign(key, provider.issuer, Date.now(), { claims: { sub: subject, aud, ...claims } });
  };

  describe("trusted issuers", () => {
    test("are created, listed, shown, changed and deleted", async () => {
      const { cli, client } = bench;
      const created = await cli.json<TrustedIssuer>([
        ...["issuers", "create", provider.issuer, "--subject", "repo:acme/shop:*", "--project", "shop"],
        ...["--claim", "ref=refs/heads/a", "--claim", "ref=refs/heads/b", "--claim", "repository_id=42"],
        ...["--environment", "preview", "--environment", "production", "--branch-claim", "ref", "--audience", "ci"],
      ]);
      expect(created).toMatchObject({
        subject: "repo:acme/shop:*",
        role: "editor",
        project: "shop",
        claims: { ref: ["refs/heads/a", "refs/heads/b"], repository_id: "42" },
        environments: ["PREVIEW", "PRODUCTION"],
        branchClaim: "ref",
        audience: "ci",
      });
      expect((await cli.run("issuers list")).stdout).toContain("repo:acme/shop:*");
      expect(await cli.json(["issuers", "show", created.id])).toEqual(await client.trustedIssuers.get(created.id));
      const changed = await cli.json<TrustedIssuer>([
        ...["issuers", "update", created.id, "--role", "reader", "--environment", "preview"],
        ...["--clear", "claims", "--clear", "audience", "--clear", "branchClaim"],
      ]);
      expect(changed).toMatchObject({ role: "reader", environments: ["PREVIEW"] });
      expect(changed.audience).toBe(`${bench.server.url}/v1/accounts/default`);
      for (const field of ["claims", "branchClaim"]) expect(changed).not.toHaveProperty(field);
      expect((await cli.run(["issuers", "delete", created.id, "--yes"])).stderr).toContain(
        "Deleted the trusted issuer",
      );
      expect((await cli.run("issuers list")).stderr).toContain("There are no trusted issuers.");
    });

    test("are rejected with the field, and claims must have a pattern", async () => {
      const { cli } = bench;
      const bare = await cli.run(["issuers", "create", provider.issuer, "--subject", "*"]);
      expect(bare).toMatchObject({ status: 1, stderr: expect.stringContaining("must not be a bare *") });
      const claim = await cli.run(["issuers", "create", provider.issuer, "--subject", "a", "--claim", "ref"]);
      expect(claim).toMatchObject({ status: 2, stderr: expect.stringContaining("must be a claim and its pattern") });
    });
  });

  describe("tokens exchange", () => {
    test("prints a token for the commands after it, from the environment or standard input", async () => {
      const { cli, client } = bench;
      await client.trustedIssuers.create({ issuer: provider.issuer, subject, role: "editor", project: "shop" });
      const job = { ...cli.anonymous, TOLLGATE_URL: bench.server.url };
      const fromEnvironment = await cli.run("tokens exchange", {
        environment: { ...job, TOLLGATE_ID_TOKEN: await token() },
      });
      expect(fromEnvironment).toMatchObject({ status: 0, stderr: "" });
      expect(fromEnvironment.stdout).toMatch(/^tgt_[0-9a-f]{32}_[0-9a-f]{8}\n$/);
      const environment = { ...job, TOLLGATE_TOKEN: fromEnvironment.stdout.trim() };
      expect(await cli.json("whoami", { environment })).toMatchObject({
        role: "editor",
        projects: [{ project: "shop", role: "editor" }],
        environments: ["PREVIEW"],
      });
      const fromStdin = await cli.run(["tokens", "exchange", bench.server.url, "--token-stdin", "--json"], {
        environment: cli.anonymous,
        stdin: await token(),
      });
      expect(JSON.parse(fromStdin.stdout)).toMatchObject({ token_type: "Bearer", expires_in: 900 });
    });

    test("explains what is missing, and why a token is rejected", async () => {
      const { cli } = bench;
      const nowhere = await cli.run("tokens exchange", { environment: cli.anonymous });
      expect(nowhere).toMatchObject({ status: 2, stderr: expect.stringContaining("TOLLGATE_URL is not set") });
      const job = { ...cli.anonymous, TOLLGATE_URL: bench.server.url };
      const without = await cli.run("tokens exchange", { environment: job });
      expect(without).toMatchObject({ status: 2, stderr: expect.stringContaining("TOLLGATE_ID_TOKEN is not set") });
      const other = await cli.run("tokens exchange", {
        environment: { ...job, TOLLGATE_ID_TOKEN: await token({ sub: "repo:mallory/shop:pull_request" }) },
      });
      expect(other).toMatchObject({ status: 1, stdout: "" });
      expect(other.stderr).toContain('No trusted issuer accepts the subject "repo:mallory/shop:pull_request".');
    });
  });
});
