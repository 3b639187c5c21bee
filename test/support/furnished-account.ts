import type { Client } from "./client.ts";
import { readStatus, requestUpload } from "./project.ts";

/**
 * An account with a bucket `main` that contains a consumer `acme` with one key, and a project `orders` without an
 * upload.
 */
export interface FurnishedAccount {
  name: string;
  path: string;
  bucket: string;
  consumer: string;
  key: string;
  keyId: string;
  deployment: string;
  statusId: string;
}

export async function furnishAccount(operator: Client, name: string): Promise<FurnishedAccount> {
  const path = `/v1/accounts/${name}`;
  const bucket = `${path}/key-buckets/main`;
  await operator.post("/v1/accounts", { name });
  const { body } = await operator.post(`${bucket}/consumers?with-api-key=true`, { name: "acme" });
  const [{ key, id: keyId }] = body.apiKeys;
  const place = { accountName: name, project: "orders", branch: "main" };
  const { statusId } = await requestUpload(operator, place);
  const { url } = (await readStatus(operator, place, statusId)).body;
  const deployment = new URL(url).hostname.split(".")[0]!;
  return { name, path, bucket, consumer: `${bucket}/consumers/acme`, key, keyId, deployment, statusId };
}

/** A token of that account, and a client that holds it. */
export async function issueToken(operator: Client, { path }: FurnishedAccount, role: string) {
  const { id, token } = (await operator.post(`${path}/tokens`, { role })).body;
  return { tokenId: id as string, holder: operator.as(token) };
}
