import { beforeAll, describe, expect, test } from "bun:test";
import type { Client, ClientResponse } from "../../../../test/support/client.ts";
import { sqlite } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { type FurnishedAccount, furnishAccount, issueToken } from "../../../../test/support/furnished-account.ts";
import { useServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";

let count = 0;

const roles = ["admin", "editor", "reader", "verifier", "operator"] as const;
type Role = (typeof roles)[number];

const everyone: Role[] = [...roles];
const readers: Role[] = ["reader", "editor", "admin", "operator"];
const editors: Role[] = ["editor", "admin", "operator"];
const verifiers: Role[] = ["verifier", "editor", "admin", "operator"];
const administrators: Role[] = ["admin", "operator"];
const operators: Role[] = ["operator"];

type Account = FurnishedAccount & { tokenId: string };

const visible = "key-format=visible&include-api-keys=true";

const operations: [string, Role[], (holder: Client, account: Account) => Promise<ClientResponse>][] = [
  ["who am I", everyone, (holder) => holder.get("/v1/who-am-i")],
  ["list accounts", operators, (holder) => holder.get("/v1/accounts")],
  ["create an account", operators, (holder) => holder.post("/v1/accounts", { name: `made-${++count}` })],
  ["read its account", readers, (holder, { path }) => holder.get(path)],
  ["delete its account", operators, (holder, { path }) => holder.delete(path)],
  ["list tokens", administrators, (holder, { path }) => holder.get(`${path}/tokens`)],
  ["create a token", administrators, (holder, { path }) => holder.post(`${path}/tokens`, { role: "verifier" })],
  ["read a token", administrators, (holder, { path, tokenId }) => holder.get(`${path}/tokens/${tokenId}`)],
  ["delete a token", administrators, (holder, { path, tokenId }) => holder.delete(`${path}/tokens/${tokenId}`)],
  ["list buckets", readers, (holder, { path }) => holder.get(`${path}/key-buckets`)],
  ["create a bucket", editors, (holder, { path }) => holder.post(`${path}/key-buckets`, { name: "another" })],
  ["read a bucket", readers, (holder, { bucket }) => holder.get(bucket)],
  ["change a bucket", editors, (holder, { bucket }) => holder.patch(bucket, { description: "changed" })],
  ["delete a bucket", editors, (holder, { bucket }) => holder.delete(`${bucket}?force=true`)],
  ["list consumers", readers, (holder, { bucket }) => holder.get(`${bucket}/consumers`)],
  ["list consumers with keys", editors, (holder, { bucket }) => holder.get(`${bucket}/consumers?${visible}`)],
  ["create a consumer", editors, (holder, { bucket }) => holder.post(`${bucket}/consumers`, { name: "another" })],
  ["read a consumer", readers, (holder, { consumer }) => holder.get(`${consumer}?include-api-keys=true`)],
  ["read a consumer with keys", editors, (holder, { consumer }) => holder.get(`${consumer}?${visible}`)],
  ["change a consumer", editors, (holder, { consumer }) => holder.patch(consumer, { description: "changed" })],
  ["delete a consumer", editors, (holder, { consumer }) => holder.delete(consumer)],
  ["list keys", readers, (holder, { consumer }) => holder.get(`${consumer}/keys`)],
  ["list key values", editors, (holder, { consumer }) => holder.get(`${consumer}/keys?key-format=visible`)],
  ["create a key", editors, (holder, { consumer }) => holder.post(`${consumer}/keys`, {})],
  ["create keys", editors, (holder, { consumer }) => holder.post(`${consumer}/keys/$bulk`, [{}])],
  ["read a key", readers, (holder, { consumer, keyId }) => holder.get(`${consumer}/keys/${keyId}`)],
  [
    "read a key's value",
    editors,
    (holder, { consumer, keyId }) => holder.get(`${consumer}/keys/${keyId}?key-format=visible`),
  ],
  [
    "change a key",
    editors,
    (holder, { consumer, keyId }) => holder.patch(`${consumer}/keys/${keyId}`, { description: "changed" }),
  ],
  ["delete a key", editors, (holder, { consumer, keyId }) => holder.delete(`${consumer}/keys/${keyId}`)],
  [
    "roll the keys",
    editors,
    (holder, { consumer }) => holder.post(`${consumer}/roll-key`, { expiresOn: "2030-01-01T00:00:00Z" }),
  ],
  ["verify a key", verifiers, (holder, { bucket, key }) => holder.post(`${bucket}/verify-key`, { key })],
  ["list managers", readers, (holder, { consumer }) => holder.get(`${consumer}/managers`)],
  ["add a manager", editors, (holder, { consumer }) => holder.post(`${consumer}/managers`, { sub: "jo" })],
  [
    "invite a manager",
    editors,
    (holder, { consumer }) => holder.post(`${consumer}/manager-invites`, { email: "jo@acme.example" }),
  ],
  ["list deployments", readers, (holder, { path }) => holder.get(`${path}/projects/orders/deployments`)],
  [
    "read a deployment status",
    readers,
    (holder, { path, statusId }) => holder.get(`${path}/projects/orders/deployment-status/${statusId}`),
  ],
  [
    "request an upload URL",
    editors,
    (holder, { name }) =>
      holder.post(`/v1/deployments/sources?accountName=${name}`, {
        accountName: name,
        projectName: "orders",
        branchName: "another",
      }),
  ],
  ["read a deployment", readers, (holder, account) => holder.get(deploymentPath(account))],
  ["list versions", readers, (holder, account) => holder.get(deploymentPath(account, "/versions"))],
  ["read a deployment's log", readers, (holder, account) => holder.get(deploymentPath(account, "/logs"))],
  ["delete a deployment", editors, (holder, account) => holder.delete(deploymentPath(account))],
];

/** The operator has to specify the account. */
function deploymentPath({ name, deployment }: Account, below = ""): string {
  return `/v1/deployments/${deployment}${below}?accountName=${name}`;
}

// Roles are checked before storage is used.
const server = useServer(sqlite);
const operator = server.client.as(operatorToken);
let shared: Account;

beforeAll(async () => {
  shared = await newAccount();
});

describe("roles:", () => {
  for (const role of roles) {
    test.each(operations)(`${role}, %s`, async (what, allowed, call) => {
      const isAllowed = allowed.includes(role);
      const account = isAllowed && isChange(what) ? await newAccount() : shared;
      const holder = await holderOf(role, account);
      const before = await state(account);
      const response = await call(holder, account);
      if (isAllowed) {
        expect(response.text).not.toContain('"forbidden"');
        expect([200, 204]).toContain(response.status);
      } else {
        expectProblem(response, 403, "forbidden");
        expect(await state(account)).toEqual(before);
      }
    });
  }
});

const isChange = (what: string): boolean => !/^(list|read|verify|who) /.test(what);

async function newAccount(): Promise<Account> {
  const account = await furnishAccount(operator, `roles-${++count}`);
  const { tokenId } = await issueToken(operator, account, "reader");
  return { ...account, tokenId };
}

async function holderOf(role: Role, account: Account): Promise<Client> {
  return role === "operator" ? operator : (await issueToken(operator, account, role)).holder;
}

/** The operator's view of all resources that the operations above could change. */
async function state({ path, bucket }: Account): Promise<unknown> {
  const included = "include-api-keys=true&include-managers=true&include-manager-invites=true";
  const ofAccount = [`${path}/key-buckets`, `${path}/tokens`, `${path}/projects/orders/deployments`];
  const paths = ["/v1/accounts", ...ofAccount, `${bucket}/consumers?${included}`];
  const responses = await Promise.all(paths.map((each) => operator.get(each)));
  return responses.map(({ text }) => text.replaceAll(/,"lastUsedOn":(null|"[^"]*")/g, ""));
}
