import { newBucketPath } from "./bucket-path.ts";
import type { Client, ClientResponse, RequestHeaders } from "./client.ts";

export interface WholeConsumer {
  bucket: string;
  path: string;
  keyId: string;
  managerId: string;
  inviteId: string;
}

/** Creates a consumer in a new bucket and returns its path. */
export async function newConsumer(client: Client): Promise<string> {
  const bucket = newBucketPath();
  await client.post(`${bucket}/consumers`, { name: "acme" });
  return `${bucket}/consumers/acme`;
}

/** A consumer with one resource of each kind, and the tags `plan=gold` and `seats=5`. */
export async function createWholeConsumer(client: Client, bucket: string, name = "acme"): Promise<WholeConsumer> {
  const { body } = await client.post(`${bucket}/consumers?with-api-key=true`, {
    name,
    tags: { plan: "gold", seats: 5 },
    managers: [{ sub: "manager", email: "manager@acme.example" }, "invited@acme.example"],
  });
  return {
    bucket,
    path: `${bucket}/consumers/${name}`,
    keyId: body.apiKeys[0].id,
    managerId: body.managers[0].id,
    inviteId: body.managerInvites[0].id,
  };
}

export interface ConsumerOperation {
  what: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  path(consumer: WholeConsumer): string;
  body?: object;
}

/** Every operation on an existing consumer, each with a request that succeeds. */
export const consumerOperations: ConsumerOperation[] = [
  { what: "read", method: "GET", path: ({ path }) => path },
  { what: "update", method: "PATCH", path: ({ path }) => path, body: { description: "changed" } },
  { what: "delete", method: "DELETE", path: ({ path }) => path },
  {
    what: "roll keys",
    method: "POST",
    path: ({ path }) => `${path}/roll-key`,
    body: { expiresOn: "2030-01-01T00:00:00Z" },
  },
  { what: "list keys", method: "GET", path: ({ path }) => `${path}/keys` },
  { what: "create a key", method: "POST", path: ({ path }) => `${path}/keys`, body: {} },
  { what: "create keys", method: "POST", path: ({ path }) => `${path}/keys/$bulk`, body: [{}, {}] },
  { what: "read a key", method: "GET", path: ({ path, keyId }) => `${path}/keys/${keyId}` },
  {
    what: "update a key",
    method: "PATCH",
    path: ({ path, keyId }) => `${path}/keys/${keyId}`,
    body: { description: "changed" },
  },
  { what: "delete a key", method: "DELETE", path: ({ path, keyId }) => `${path}/keys/${keyId}` },
  { what: "list managers", method: "GET", path: ({ path }) => `${path}/managers` },
  { what: "add a manager", method: "POST", path: ({ path }) => `${path}/managers`, body: { sub: "another" } },
  { what: "read a manager", method: "GET", path: ({ path, managerId }) => `${path}/managers/${managerId}` },
  { what: "remove a manager", method: "DELETE", path: ({ path, managerId }) => `${path}/managers/${managerId}` },
  { what: "list invites", method: "GET", path: ({ path }) => `${path}/manager-invites` },
  {
    what: "invite",
    method: "POST",
    path: ({ path }) => `${path}/manager-invites`,
    body: { email: "new@acme.example" },
  },
  { what: "read an invite", method: "GET", path: ({ path, inviteId }) => `${path}/manager-invites/${inviteId}` },
  { what: "withdraw an invite", method: "DELETE", path: ({ path, inviteId }) => `${path}/manager-invites/${inviteId}` },
  {
    what: "accept an invite",
    method: "POST",
    path: ({ path, inviteId }) => `${path}/manager-invites/${inviteId}/accept`,
    body: { sub: "accepted" },
  },
];

export function send(
  client: Client,
  { method, body }: Pick<ConsumerOperation, "method" | "body">,
  path: string,
  headers?: RequestHeaders,
): Promise<ClientResponse> {
  return client.raw(method, path, body && JSON.stringify(body), headers);
}

/** The visible state of a bucket's consumers, to detect changes. */
export async function stateOf(client: Client, bucket: string): Promise<unknown> {
  const included = "include-api-keys=true&include-managers=true&include-manager-invites=true&key-format=visible";
  const { body } = await client.get(`${bucket}/consumers?${included}`);
  const etags: (string | null)[] = [];
  for (const { name } of body.data) {
    etags.push((await client.get(`${bucket}/consumers/${name}`)).headers.get("etag"));
  }
  return { ...body, etags };
}
