import { describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";

const issuers = "/v1/accounts/default/trusted-issuers";
const github = "https://token.actions.githubusercontent.com";
const shop = { issuer: github, subject: "repo:acme/shop:pull_request", role: "editor" };

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const total = async () => (await client.get(issuers)).body.total as number;

  describe("a trusted issuer", () => {
    test("is created with defaults, read, listed, changed and deleted", async () => {
      const created = await client.post(issuers, shop);
      expect(created.status).toBe(200);
      expect(created.body).toEqual({
        id: expect.stringMatching(/^trst_[0-9A-Za-z]{24}$/),
        ...shop,
        audience: `${server.url}/v1/accounts/default`,
        environments: ["PREVIEW"],
        createdOn: clock.iso(),
        updatedOn: clock.iso(),
      });
      const path = `${issuers}/${created.body.id}`;
      expect((await client.get(path)).body).toEqual(created.body);
      expect((await client.get(issuers)).body.data.at(-1)).toEqual(created.body);
      const changes = {
        audience: "tollgate",
        claims: { repository_owner_id: "123", ref: ["refs/heads/main", "refs/heads/release-*"] },
        project: "shop",
        environments: ["PREVIEW", "PRODUCTION"],
        branchClaim: "ref",
        role: "reader",
      };
      const changed = await client.patch(path, changes);
      expect(changed.body).toEqual({ ...created.body, ...changes });
      const cleared = await client.patch(path, { audience: null, claims: null, project: null, branchClaim: null });
      const { claims: _, project: __, branchClaim: ___, ...kept } = changed.body;
      expect(cleared.body).toEqual({ ...kept, audience: created.body.audience });
      expect((await client.patch(path, {})).body).toEqual(cleared.body);
      expect((await client.delete(path)).status).toBe(204);
      expectProblem(await client.get(path), 404, "not_found");
    });

    test("has an ETag", async () => {
      const { body, headers } = await client.post(issuers, shop);
      const path = `${issuers}/${body.id}`;
      const etag = (await client.get(path)).headers.get("etag")!;
      expect((await client.get(path, { "if-none-match": etag })).status).toBe(304);
      await client.patch(path, { subject: "repo:acme/other:pull_request" });
      const stale = { "if-match": headers.get("etag")! };
      expectProblem(await client.patch(path, { role: "reader" }, stale), 412, "precondition_failed");
      expectProblem(await client.delete(path, stale), 412, "precondition_failed");
      expect((await client.get(path)).body.role).toBe("editor");
    });

    const badBodies: [what: string, body: object, pointer: string][] = [
      ["no issuer", { issuer: undefined }, "/issuer"],
      ["an issuer that is no URL", { issuer: "github" }, "/issuer"],
      ["an issuer over http", { issuer: "http://github.example" }, "/issuer"],
      ["an issuer with a query", { issuer: `${github}?a=b` }, "/issuer"],
      ["an issuer with a fragment", { issuer: `${github}#a` }, "/issuer"],
      ["an issuer with credentials", { issuer: "https://a:b@github.example" }, "/issuer"],
      ["no subject", { subject: undefined }, "/subject"],
      ["an empty subject", { subject: "" }, "/subject"],
      ["a bare * as the subject", { subject: "*" }, "/subject"],
      ["** as the subject", { subject: "**" }, "/subject"],
      ["a bare * as a claim", { claims: { ref: "*" } }, "/claims/ref"],
      ["a bare * among claims", { claims: { ref: ["main", "*"] } }, "/claims/ref/1"],
      ["a list of no patterns", { claims: { ref: [] } }, "/claims/ref"],
      ["a number as a claim", { claims: { id: 1 } }, "/claims/id"],
      ["no role", { role: undefined }, "/role"],
      ["admin, which is more than editor", { role: "admin" }, "/role"],
      ["the operator's role", { role: "operator" }, "/role"],
      ["an empty project", { project: "" }, "/project"],
      ["no environments", { environments: [] }, "/environments"],
      ["an unknown environment", { environments: ["STAGING"] }, "/environments/0"],
      ["an environment twice", { environments: ["PREVIEW", "PREVIEW"] }, "/environments"],
      ["an empty branch claim", { branchClaim: "" }, "/branchClaim"],
      ["the audience of another account", { audience: "URL/v1/accounts/other" }, "/audience"],
      ["a verifier for previews only", { role: "verifier" }, "/environments"],
      ["a project of a verifier", { role: "verifier", project: "a" }, "/project"],
      ["a branch of billing", { role: "billing", branchClaim: "ref" }, "/branchClaim"],
      ["an unknown field", { scope: "all" }, "/scope"],
      ["a read-only field", { id: "trst_1" }, "/id"],
    ];
    test.each(casesFor(engine, badBodies))("is not created from %s", async (_what, fields, pointer) => {
      const before = await total();
      const body = JSON.parse(JSON.stringify({ ...shop, ...fields }).replace("URL/", `${server.url}/`));
      expectProblem(await client.post(issuers, body), 400, "validation_failed", { pointer });
      expect(await total()).toBe(before);
    });

    test("cannot be changed to what cannot be created, nor to another issuer", async () => {
      const { body } = await client.post(issuers, shop);
      const path = `${issuers}/${body.id}`;
      const bad: [object, string][] = [
        [{ subject: "*" }, "/subject"],
        [{ claims: { ref: "*" } }, "/claims/ref"],
        [{ role: "admin" }, "/role"],
        [{ role: "verifier" }, "/environments"],
        [{ issuer: "https://gitlab.example" }, "/issuer"],
        [{ environments: null }, "/environments"],
        [{ audience: `${server.url}/v1/accounts/other` }, "/audience"],
      ];
      for (const [changes, pointer] of bad)
        expectProblem(await client.patch(path, changes), 400, "validation_failed", { pointer });
      expect((await client.get(path)).body).toEqual(body);
    });

    test("is managed by admins of the account only", async () => {
      const { body } = await client.post(issuers, shop);
      const path = `${issuers}/${body.id}`;
      const before = await total();
      const attempts = [
        (caller: typeof client) => caller.get(issuers),
        (caller: typeof client) => caller.post(issuers, shop),
        (caller: typeof client) => caller.get(path),
        (caller: typeof client) => caller.patch(path, { role: "reader" }),
        (caller: typeof client) => caller.delete(path),
      ];
      const stranger = await strangerOf(client, `issuers-of-${engine.name}`.toLowerCase());
      for (const attempt of attempts) {
        expectProblem(await attempt(client.anonymous()), 401, "unauthenticated");
        for (const role of ["editor", "reader", "billing", "verifier"] as const)
          expectProblem(await attempt(await callerWithRole(client, role)), 403, "forbidden");
        expectProblem(await attempt(stranger), 404, "not_found");
      }
      expect(await total()).toBe(before);
      expect((await client.get(path)).body).toEqual(body);
    });

    test("is in the audit log", async () => {
      const { body } = await client.post(issuers, shop);
      await client.patch(`${issuers}/${body.id}`, { role: "reader" });
      await client.delete(`${issuers}/${body.id}`);
      const { data } = (await client.get(`/v1/accounts/default/audit-log?resource=${body.id}`)).body;
      expect(data.map(({ action }: { action: string }) => action).toSorted()).toEqual([
        "trusted-issuer.created",
        "trusted-issuer.deleted",
        "trusted-issuer.updated",
      ]);
    });
  });
});
