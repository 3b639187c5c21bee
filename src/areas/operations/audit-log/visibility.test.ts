import { expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { furnishAccount, issueToken } from "../../../../test/support/furnished-account.ts";
import { unique } from "../../../../test/support/metering.ts";
import { useServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";

interface Entry {
  action: string;
  isSealed: boolean;
  resource: { id: string; type: string };
  seal?: { number: number; pack?: string };
}

const hidden = ["member", "session", "token", "trusted-issuer"];

eachEngine((engine) => {
  const server = useServer(engine);
  const operator = server.client.as(operatorToken);

  /** An account whose log has entries about each type of resource that only admins may read. */
  async function filledAccount() {
    const account = await furnishAccount(operator, unique("seen"));
    const { id: tokenId, token } = (await operator.post(`${account.path}/tokens`, { role: "admin" })).body;
    const admin = operator.as(token);
    const { body: member } = await admin.post(`${account.path}/members`, { email: "ada@seen.example", role: "admin" });
    const issuer = { issuer: "https://ci.seen.example", subject: "repo:seen/api:*", role: "editor" };
    expect((await admin.post(`${account.path}/trusted-issuers`, issuer)).status).toBe(200);
    const headers = { origin: server.client.url };
    expect((await server.client.anonymous().post("/v1/sessions", { token }, headers)).status).toBe(200);
    return {
      ...account,
      admin,
      tokenId: tokenId as string,
      memberId: member.id as string,
      log: `${account.path}/audit-log`,
    };
  }

  test("entries about what a role may not read are left out of lists, filters and exports", async () => {
    const { admin, tokenId, memberId, log, ...account } = await filledAccount();
    const entriesFor = async (role: string, query = "") => {
      const { holder } = await issueToken(operator, account, role);
      const { status, body } = await holder.get(`${log}?limit=1000${query}`);
      expect(status).toBe(200);
      return body.data as Entry[];
    };
    const typesFor = async (role: string) => [
      ...new Set((await entriesFor(role)).map(({ resource }) => resource.type)),
    ];
    const check = async () => {
      expect(await typesFor("admin")).toEqual(expect.arrayContaining([...hidden, "consumer"]));
      for (const role of ["editor", "reader", "billing"]) {
        const types = await typesFor(role);
        expect(types.filter((type) => hidden.includes(type))).toEqual([]);
        expect(types).toContain("consumer");
        for (const query of [
          "&action=member.*",
          "&action=token.created",
          "&resource=trusted-issuer",
          `&resource=${tokenId}`,
          `&resource=${memberId}`,
        ])
          expect(await entriesFor(role, query)).toEqual([]);
      }
      const { holder } = await issueToken(operator, account, "reader");
      for (const accept of ["text/csv", "application/jsonl"]) {
        const { text } = await holder.get(`${log}?limit=1000`, { accept });
        expect(text).toContain("consumer.created");
        for (const secret of ["ada@seen.example", "ci.seen.example", "token.created", "session.created"])
          expect(text).not.toContain(secret);
      }
    };
    await check();
    await server.catchUp();
    await until(async () =>
      ((await admin.get(`${log}?limit=1000`)).body.data as Entry[]).every(({ isSealed }) => isSealed),
    );
    await check();
  });

  test("a page has as many entries as asked for, whatever is hidden between them", async () => {
    const account = await filledAccount();
    const { admin, log, consumer } = account;
    const { holder } = await issueToken(operator, account, "reader");
    for (const description of ["1", "2", "3"]) {
      await admin.patch(consumer, { description });
      await issueToken(operator, account, "reader");
    }
    const first = (await holder.get(`${log}?limit=2`)).body.data;
    expect(first.map(({ action }: Entry) => action)).toEqual(["consumer.updated", "consumer.updated"]);
    const { data } = (await holder.get(`${log}?limit=1&before=${first[1].id}`)).body;
    expect(data.map(({ action }: Entry) => action)).toEqual(["consumer.updated"]);
  });
});
