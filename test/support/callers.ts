import type { TokenRole } from "../../src/core/access.ts";
import type { Client } from "./client.ts";
import { account, operatorToken } from "./server-settings.ts";

/** A client with a token of that role, in the account that the server was started with. */
export async function callerWithRole(admin: Client, role: TokenRole): Promise<Client> {
  const { body } = await admin.post(`/v1/accounts/${account}/tokens`, { role });
  return admin.as(body.token);
}

/** Creates another account and returns a client of its admin. */
export async function strangerOf(admin: Client, accountName: string): Promise<Client> {
  const operator = admin.as(operatorToken);
  await operator.post("/v1/accounts", { name: accountName });
  const { body } = await operator.post(`/v1/accounts/${accountName}/tokens`, { role: "admin" });
  return admin.as(body.token);
}
