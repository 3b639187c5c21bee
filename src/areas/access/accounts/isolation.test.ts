import { beforeAll, describe, expect, test } from "bun:test";
import type { Client, ClientResponse } from "../../../../test/support/client.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { type FurnishedAccount, furnishAccount, issueToken } from "../../../../test/support/furnished-account.ts";
import { useServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";

type Account = FurnishedAccount & { tokenId: string; holder: Client };

eachEngine((engine) => {
  const server = useServer(engine);
  const operator = server.client.as(operatorToken);

  describe("resources of another account look like missing ones:", () => {
    let stranger: Account;
    let own: Account;
    beforeAll(async () => {
      stranger = await furnish("stranger");
      own = await furnish("own");
    });
    async function furnish(name: string): Promise<Account> {
      const account = await furnishAccount(operator, name);
      return { ...account, ...(await issueToken(operator, account, "admin")) };
    }

    /** The paths at which resources of `account` would be if they were in the account at `path`. */
    const calls: [what: string, (client: Client, account: Account, path: string) => Promise<ClientResponse>][] = [
      ["account", (client, _, path) => client.get(path)],
      ["tokens", (client, _, path) => client.get(`${path}/tokens`)],
      ["new token", (client, _, path) => client.post(`${path}/tokens`, { role: "admin" })],
      ["token", (client, { tokenId }, path) => client.get(`${path}/tokens/${tokenId}`)],
      ["deleted token", (client, { tokenId }, path) => client.delete(`${path}/tokens/${tokenId}`)],
      ["buckets", (client, _, path) => client.get(`${path}/key-buckets`)],
      ["new bucket", (client, _, path) => client.post(`${path}/key-buckets`, { name: "planted" })],
      ["broken bucket", (client, _, path) => client.raw("POST", `${path}/key-buckets`, "{")],
      ["bucket", (client, _, path) => client.get(`${path}/key-buckets/main`)],
      ["changed bucket", (client, _, path) => client.patch(`${path}/key-buckets/main`, { description: "mine" })],
      ["deleted bucket", (client, _, path) => client.delete(`${path}/key-buckets/main?force=true`)],
      ["consumers", (client, _, path) => client.get(`${path}/key-buckets/main/consumers`)],
      ["new consumer", (client, _, path) => client.post(`${path}/key-buckets/main/consumers`, { name: "planted" })],
      ["consumer", (client, _, path) => client.get(`${path}/key-buckets/main/consumers/acme`)],
      ["deleted consumer", (client, _, path) => client.delete(`${path}/key-buckets/main/consumers/acme`)],
      ["keys", (client, _, path) => client.get(`${path}/key-buckets/main/consumers/acme/keys`)],
      ["new key", (client, _, path) => client.post(`${path}/key-buckets/main/consumers/acme/keys`, {})],
      ["key", (client, { keyId }, path) => client.get(`${path}/key-buckets/main/consumers/acme/keys/${keyId}`)],
      ["verified key", (client, { key }, path) => client.post(`${path}/key-buckets/main/verify-key`, { key })],
      ["deployments", (client, _, path) => client.get(`${path}/projects/orders/deployments`)],
      [
        "deployment status",
        (client, { statusId }, path) => client.get(`${path}/projects/orders/deployment-status/${statusId}`),
      ],
    ];
    for (const role of ["admin", "reader", "verifier"]) {
      test.each(casesFor(engine, calls))(`%s, called with a token with role ${role}`, async (_what, call) => {
        const { holder: client } = await issueToken(operator, own, role);
        const before = await contents(operator, stranger.path);
        const foreign = await call(client, stranger, stranger.path);
        const missing = await call(client, stranger, "/v1/accounts/nobody");
        expectProblem(foreign, 404, "not_found");
        expect(withoutPlaceAndTime(foreign)).toEqual(withoutPlaceAndTime(missing));
        expect(await contents(operator, stranger.path)).toEqual(before);
      });
    }

    const deployments: [what: string, method: string, below: string][] = [
      ["deployment", "GET", ""],
      ["deleted deployment", "DELETE", ""],
      ["redeployed deployment", "POST", "/deploy"],
      ["versions", "GET", "/versions"],
      ["rolled back deployment", "POST", "/rollback"],
      ["log", "GET", "/logs"],
      ["followed log", "GET", "/logs?follow=true"],
    ];
    for (const role of ["admin", "editor"]) {
      test.each(casesFor(engine, deployments))(
        `%s, called with a token with role ${role}`,
        async (_what, method, below) => {
          const { holder: client } = await issueToken(operator, own, role);
          const before = await contents(operator, stranger.path);
          const foreign = await client.raw(method, `/v1/deployments/${stranger.deployment}${below}`);
          const missing = await client.raw(method, `/v1/deployments/nothing-main-0123456${below}`);
          expectProblem(foreign, 404, "not_found");
          expect(withoutPlaceAndTime(foreign)).toEqual(withoutPlaceAndTime(missing));
          expect(await contents(operator, stranger.path)).toEqual(before);
        },
      );
    }

    const ids: [what: string, (account: Account, id: string) => string, (account: Account) => string][] = [
      ["token", ({ path }, id) => `${path}/tokens/${id}`, ({ tokenId }) => tokenId],
      ["key", ({ bucket }, id) => `${bucket}/consumers/acme/keys/${id}`, ({ keyId }) => keyId],
    ];
    test.each(ids)("the id of a %s below one's own account", async (_what, pathOf, idOf) => {
      for (const method of ["GET", "DELETE"]) {
        const foreign = await own.holder.raw(method, pathOf(own, idOf(stranger)));
        const missing = await own.holder.raw(method, pathOf(own, "key_nothing"));
        expectProblem(foreign, 404, "not_found");
        expect(withoutPlaceAndTime(foreign)).toEqual(withoutPlaceAndTime(missing));
      }
      expect((await operator.get(pathOf(stranger, idOf(stranger)))).status).toBe(200);
    });
  });
});

/** All resources of an account, without the last use of its tokens. */
async function contents(operator: Client, path: string): Promise<unknown> {
  const paths = [path, `${path}/key-buckets`, `${path}/key-buckets/main/consumers?include-api-keys=true`];
  const others = [`${path}/tokens`, `${path}/projects/orders/deployments`];
  const responses = await Promise.all([...paths, ...others].map((each) => operator.get(each)));
  return JSON.parse(JSON.stringify(responses.map(({ body }) => body)).replace(/"lastUsedOn":"[^"]*"/g, '"_":0'));
}

function withoutPlaceAndTime(response: ClientResponse): unknown {
  const { instance: _, trace: __, ...rest } = response.body;
  return rest;
}
