import type { Client } from "./client.ts";

/** An account with a bucket `main`, which holds a consumer `acme` with one key. */
export interface FurnishedAccount {
  path: string;
  bucket: string;
  consumer: string;
  key: string;
  keyId: string;
}

export async function furnishAccount(operator: Client, name: string): Promise<FurnishedAccount> {
  const path = `/v1/accounts/${name}`;
  const bucket = `${path}/key-buckets/main`;
  await operator.post("/v1/accounts", { name });
  const { body } = await operator.post(`${bucket}/consumers?with-api-key=true`, { name: "acme" });
  const [{ key, id: keyId }] = body.apiKeys;
  return { path, bucket, consumer: `${bucket}/consumers/acme`, key, keyId };
}

/** A token of that account, and a client that holds it. */
export async function issueToken(operator: Client, { path }: FurnishedAccount, role: string) {
  const { id, token } = (await operator.post(`${path}/tokens`, { role })).body;
  return { tokenId: id as string, holder: operator.as(token) };
}
