import { describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { furnishAccount, issueToken } from "../../../../test/support/furnished-account.ts";
import { startServer, useServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";

eachEngine((engine) => {
  const server = useServer(engine);
  const operator = server.client.as(operatorToken);

  describe("accounts", () => {
    test("are created, read and listed in the order of creation", async () => {
      const created = await operator.post("/v1/accounts", { name: "first" });
      expect(created.status).toBe(200);
      expect(created.body).toEqual({
        id: expect.stringMatching(/^acct_[0-9A-Za-z]{24}$/),
        name: "first",
        createdOn: server.clock.iso(),
        updatedOn: server.clock.iso(),
      });
      await operator.post("/v1/accounts", { name: "a-second" });

      expect((await operator.get("/v1/accounts/first")).body).toEqual(created.body);
      const names = (await operator.get("/v1/accounts")).body.data.map((account: { name: string }) => account.name);
      expect(names.slice(-2)).toEqual(["first", "a-second"]);
    });

    const badBodies: [what: string, body: unknown, pointer: string][] = [
      ["no name", {}, "/name"],
      ["an empty name", { name: "" }, "/name"],
      ["upper case", { name: "Acme" }, "/name"],
      ["a space", { name: "acme inc" }, "/name"],
      ["a line break at the end", { name: "acme\n" }, "/name"],
      ["129 characters", { name: "a".repeat(129) }, "/name"],
      ["a number", { name: 5 }, "/name"],
      ["null", { name: null }, "/name"],
      ["a read-only field", { name: "rejected", id: "acct_1" }, "/id"],
      ["an unknown field", { name: "rejected", owner: "me" }, "/owner"],
      ["a list", [{ name: "rejected" }], ""],
    ];
    test.each(badBodies)("are not created from %s", async (_what, body, pointer) => {
      const before = await operator.get("/v1/accounts");
      expectProblem(await operator.post("/v1/accounts", body), 400, "validation_failed", { pointer });
      expect((await operator.get("/v1/accounts")).body).toEqual(before.body);
    });

    test("may have underscores in their names, and so may their buckets", async () => {
      const name = "_acme_inc_";
      expect((await operator.post("/v1/accounts", { name })).body).toMatchObject({ name });
      const buckets = `/v1/accounts/${name}/key-buckets`;
      expect((await operator.post(buckets, { name: "my_api" })).body).toMatchObject({ name: "my_api" });
      const created = await operator.post(`${buckets}/_made_/consumers?with-api-key=true`, { name: "a" });
      const { key } = created.body.apiKeys[0];
      expect((await operator.post(`${buckets}/_made_/verify-key`, { key })).body).toMatchObject({ valid: true });
      const list = (await operator.get(buckets)).body.data;
      expect(list.map((bucket: { name: string }) => bucket.name)).toEqual(["my_api", "_made_"]);
    });

    test("may have a name of 128 characters", async () => {
      const name = "a".repeat(128);
      expect((await operator.post("/v1/accounts", { name })).body).toMatchObject({ name });
    });

    test("have unique names, also if twenty are requested concurrently", async () => {
      const before = (await operator.get("/v1/accounts")).body.total;
      const responses = await Promise.all(
        Array.from({ length: 20 }, () => operator.post("/v1/accounts", { name: "contested" })),
      );
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const rejected of responses.filter(({ status }) => status !== 200))
        expectProblem(rejected, 409, "account_exists");
      expect((await operator.get("/v1/accounts")).body.total).toBe(before + 1);
    });

    test("are deleted permanently with everything in them", async () => {
      const account = await furnishAccount(operator, "doomed");
      const { holder } = await issueToken(operator, account, "admin");
      expect((await holder.post(`${account.bucket}/verify-key`, { key: account.key })).body.valid).toBe(true);

      expect((await operator.delete(account.path)).status).toBe(204);

      expectProblem(await holder.get("/v1/who-am-i"), 401, "unauthenticated");
      for (const path of [account.path, `${account.path}/key-buckets`, account.bucket])
        expectProblem(await operator.get(path), 404, "not_found");
      expectProblem(await operator.post(`${account.bucket}/verify-key`, { key: account.key }), 404, "not_found");
      expectProblem(await operator.delete(account.path), 404, "not_found");

      await operator.post("/v1/accounts", { name: "doomed" });
      expect((await operator.get(`${account.path}/key-buckets`)).body).toMatchObject({ data: [], total: 0 });
      expect((await operator.get(`${account.path}/tokens`)).body).toMatchObject({ data: [], total: 0 });
      const verified = await operator.post(`${account.bucket}/verify-key`, { key: account.key });
      expect(verified.body).toEqual({ valid: false, code: "not_found" });
      expectProblem(await holder.get("/v1/who-am-i"), 401, "unauthenticated");
    });
  });

  describe("the operator", () => {
    test("is not a token of any account", async () => {
      expect((await operator.get("/v1/who-am-i")).body).toEqual({ sub: "operator", role: "operator" });
    });

    test("acts in any account, as its own tokens see", async () => {
      const account = await furnishAccount(operator, "assisted");
      const { holder } = await issueToken(operator, account, "reader");
      expect((await operator.post(`${account.path}/key-buckets`, { name: "by-the-operator" })).status).toBe(200);
      expect((await holder.get(`${account.path}/key-buckets/by-the-operator`)).status).toBe(200);
    });

    test("specifies the account if the path does not", async () => {
      await operator.post("/v1/accounts", { name: "meant" });
      expect((await operator.get("/v1/who-am-i?accountName=meant")).body).toMatchObject({ account: "meant" });
      expectProblem(await operator.get("/v1/who-am-i?accountName=nowhere"), 404, "not_found");
    });

    test("does not extend that access to others", async () => {
      const { account } = (await server.client.get("/v1/who-am-i?accountName=meant")).body;
      expect(account).toBe("default");
    });

    test("exists only where it is configured", async () => {
      const alone = await startServer(engine, { environment: { TOLLGATE_OPERATOR_TOKEN: "" } });
      try {
        expectProblem(await alone.client.as(operatorToken).get("/v1/who-am-i"), 401, "unauthenticated");
        expectProblem(await alone.client.get("/v1/accounts"), 403, "forbidden");
      } finally {
        await alone.stop();
      }
    });
  });
});
