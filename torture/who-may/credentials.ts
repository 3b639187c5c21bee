import { expect } from "bun:test";
import type { Role } from "../../src/core/access.ts";
import type { Client } from "../../test/support/client.ts";
import { operatorToken } from "../../test/support/server-settings.ts";
import { until } from "../../test/support/until.ts";
import { tokenRoles, type World } from "../world.ts";

export interface Credential {
  name: string;
  /** A role of this account, a credential that is always rejected, or one of another account. */
  kind: { role: Role } | "nobody" | "stranger";
  /** The client with this credential. */
  as(client: Client): Client;
}

/** Every kind of credential, in relation to one account. */
export async function credentialsOf(operator: Client, ours: World, others: World): Promise<Credential[]> {
  const bearer = (token: string) => (client: Client) => client.as(token);
  return [
    { name: "none", kind: "nobody", as: (client) => client.anonymous() },
    { name: "an empty one", kind: "nobody", as: bearer("") },
    {
      name: "one that was never given out",
      kind: "nobody",
      as: bearer(`tgt_${"0123456789abcdef".repeat(2)}_7759b50e`),
    },
    { name: "an admin's with a letter changed", kind: "nobody", as: bearer(changed(ours.tokens.admin)) },
    { name: "an API key", kind: "nobody", as: bearer(ours.key) },
    { name: "an expired admin's", kind: "nobody", as: bearer(await expiredToken(operator, ours)) },
    { name: "a deleted admin's", kind: "nobody", as: bearer(await deletedToken(operator, ours)) },
    ...tokenRoles.map((role): Credential => ({ name: role, kind: { role }, as: bearer(ours.tokens[role]) })),
    ...tokenRoles.map(
      (role): Credential => ({ name: `${role} of another account`, kind: "stranger", as: bearer(others.tokens[role]) }),
    ),
    { name: "operator", kind: { role: "operator" }, as: bearer(operatorToken) },
  ];
}

/** A credential of the same role in another world. */
export function holderIn(client: Client, { tokens }: World, { kind, name }: Credential): Client {
  if (typeof kind !== "object") throw new Error(`${name} is of no role.`);
  return client.as(kind.role === "operator" ? operatorToken : tokens[kind.role]);
}

function changed(token: string): string {
  return token.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
}

async function expiredToken(operator: Client, { account }: World): Promise<string> {
  const expiresOn = new Date(Date.now() + 300).toISOString();
  const { body } = await operator.post(`/v1/accounts/${account}/tokens`, { role: "admin", expiresOn });
  const isExpired = async () => (await operator.as(body.token).get("/v1/who-am-i")).status === 401;
  await until(isExpired, { what: "a token to expire" });
  return body.token;
}

/** Used once before its deletion, so that the server has cached it. */
async function deletedToken(operator: Client, { account }: World): Promise<string> {
  const path = `/v1/accounts/${account}/tokens`;
  const { body } = await operator.post(path, { role: "admin" });
  expect((await operator.as(body.token).get("/v1/who-am-i")).status).toBe(200);
  expect((await operator.delete(`${path}/${body.id}`)).status).toBe(204);
  return body.token;
}
