import { expect } from "bun:test";
import { newBucketPath } from "./bucket-path.ts";
import type { Client, ClientResponse } from "./client.ts";

/** A consumer for keys, with its paths. */
export interface KeyHolder {
  bucket: string;
  path: string;
  keys: string;
}

export interface KeyHolderOptions {
  /** A new bucket if omitted. */
  bucket?: string;
  /** Creates the bucket first, with these options. */
  bucketOptions?: { isRetrievable?: boolean; keyPrefix?: string };
  name?: string;
  metadata?: object;
  tags?: object;
}

export async function newKeyHolder(client: Client, options: KeyHolderOptions = {}): Promise<KeyHolder> {
  const { bucket = newBucketPath(), bucketOptions, name = "acme", metadata, tags } = options;
  if (bucketOptions) {
    const [buckets, bucketName] = [bucket.slice(0, bucket.lastIndexOf("/")), bucket.slice(bucket.lastIndexOf("/") + 1)];
    expect((await client.post(buckets, { name: bucketName, ...bucketOptions })).status).toBe(200);
  }
  expect((await client.post(`${bucket}/consumers`, { name, metadata, tags })).status).toBe(200);
  const path = `${bucket}/consumers/${name}`;
  return { bucket, path, keys: `${path}/keys` };
}

export function verify(client: Client, bucket: string, key: string): Promise<ClientResponse> {
  return client.post(`${bucket}/verify-key`, { key });
}

/** The result of verify-key: `valid`, or the reason. */
export async function verdict(client: Client, bucket: string, key: string): Promise<string> {
  const { status, body } = await verify(client, bucket, key);
  expect(status).toBe(200);
  return body.valid ? "valid" : body.code;
}

/** The visible state of a consumer's keys, to detect changes. */
export async function stateOfKeys(client: Client, holder: KeyHolder): Promise<unknown> {
  return (await client.get(`${holder.keys}?key-format=visible`)).body;
}
