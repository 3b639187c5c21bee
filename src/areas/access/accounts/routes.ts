import { type AreaContext, areaOf } from "../../../api/area.ts";
import { list, read, remove, write } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import { type AccountCleanup, createAccount, deleteAccount, findAccount, listAccounts } from "./accounts.ts";
import type { Authentication } from "./authentication.ts";
import { removeExpiredTokens } from "./exchanged.ts";
import { presentAccount, presentCaller, presentToken } from "./present.ts";
import { account, accountInput, createdToken, identity, token, tokenInput } from "./schema.ts";
import { createToken, deleteToken, findToken, listTokens, type Token } from "./tokens.ts";

export function accountArea(
  { storage, clock, metrics, lifecycle }: AreaContext,
  authentication: Authentication,
  cleanups: AccountCleanup[],
) {
  metrics.cache("tokens", () => authentication.credentials);
  lifecycle.onClose("token uses", () => authentication.saveLastUse());
  lifecycle.every(30, "token uses", () => authentication.saveLastUse());
  const present = (row: Token) => presentToken(row, authentication.lastUsedOn(row.id));
  const operations = [
    read({
      operationId: "whoAmI",
      path: "/v1/who-am-i",
      summary: "Read the account and role of the token",
      access: "any",
      response: identity,
      examples: {
        response: { sub: "tokn_0QGzNqW81Kx8VhTb3mPcRdZu", account: "default", role: "admin" },
      },
      handle: ({ caller, account: ownAccount }) => ({ body: presentCaller({ ...caller, account: ownAccount }) }),
    }),
    list({
      operationId: "listAccounts",
      path: "/v1/accounts",
      summary: "List accounts",
      access: "operate",
      item: account,
      listName: "AccountList",
      handle: async ({ reads, query }) => presentPage(await listAccounts(reads, query), presentAccount),
    }),
    write({
      operationId: "createAccount",
      method: "POST",
      path: "/v1/accounts",
      summary: "Create an account",
      access: "operate",
      body: accountInput,
      response: account,
      problems: ["account_exists"],
      examples: { request: { name: "acme" } },
      handle: async ({ body, act }, transaction) => {
        const created = await createAccount(transaction, act, body.name);
        return { body: presentAccount(created), revision: created };
      },
    }),
    read({
      operationId: "getAccount",
      path: "/v1/accounts/{accountName}",
      summary: "Read an account",
      access: "read",
      inProjects: "always",
      inEnvironments: "always",
      response: account,
      handle: async ({ reads, params }) => {
        const found = await findAccount(reads, params.accountName);
        return { body: presentAccount(found), revision: found };
      },
    }),
    remove({
      operationId: "deleteAccount",
      path: "/v1/accounts/{accountName}",
      summary: "Delete an account with everything in it",
      description: "Its keys and tokens stop working immediately.",
      access: "operate",
      handle: ({ act, precondition }, transaction) => deleteAccount(transaction, act, cleanups, precondition),
    }),
    list({
      operationId: "listTokens",
      path: "/v1/accounts/{accountName}/tokens",
      summary: "List tokens",
      access: "administer",
      item: token,
      listName: "TokenList",
      handle: async ({ reads, account: ownAccount, query }) =>
        presentPage(await listTokens(reads, ownAccount.seq, query), present),
    }),
    write({
      operationId: "createToken",
      method: "POST",
      path: "/v1/accounts/{accountName}/tokens",
      summary: "Create a token",
      description: "Only this response contains its value.",
      access: "administer",
      body: tokenInput,
      response: createdToken,
      examples: { request: { role: "verifier", name: "gateway in Frankfurt" } },
      handle: async ({ body, act }, transaction) => {
        const created = await createToken(transaction, act, body);
        return { body: { ...present(created.token), token: created.value }, revision: revisionOf(created.token) };
      },
    }),
    read({
      operationId: "getToken",
      path: "/v1/accounts/{accountName}/tokens/{tokenId}",
      summary: "Read a token",
      access: "administer",
      response: token,
      handle: async ({ reads, account: ownAccount, params }) => {
        const found = await findToken(reads, ownAccount.seq, params.tokenId);
        return { body: present(found), revision: revisionOf(found), composed: true };
      },
    }),
    remove({
      operationId: "deleteToken",
      path: "/v1/accounts/{accountName}/tokens/{tokenId}",
      summary: "Delete a token",
      description: "It stops working immediately, also if it is the token of this request.",
      access: "administer",
      handle: async ({ params, act, account: ownAccount, precondition }, transaction) => {
        precondition(revisionOf(await findToken(transaction, ownAccount.seq, params.tokenId)));
        await deleteToken(transaction, act, params.tokenId);
      },
    }),
  ];
  return areaOf({ Accounts: "Accounts, and the tokens of this API." }, operations, {
    removals: [(signal) => removeExpiredTokens(storage, clock.now(), signal)],
  });
}

/** A token cannot be changed, so it has one revision. */
function revisionOf(token: Token) {
  return { id: token.id, version: 1 };
}
