import type { Client, ClientResponse } from "./client.ts";
import { createPlan, newMeteringBucket, subscribe, unique } from "./metering.ts";

const keyBucket = "/v1/accounts/default/key-buckets/main";

/** A consumer with a key and a subscription, for verify-key with `consume` or `hold`. */
export interface KeyCustomer {
  name: string;
  key: string;
  keyId: string;
  consumerId: string;
  /** The path of the metering bucket, and its id. */
  bucket: string;
  bucketId: string;
  plan: ClientResponse["body"];
  /** The path of the subscription. */
  subscription: string;
  verify(body: object, headers?: Record<string, string>, query?: string): Promise<ClientResponse>;
  /** Verifies with `consume`. */
  consume(meters: object, headers?: Record<string, string>): Promise<ClientResponse>;
  /** Verifies with `hold`. */
  hold(meters: object, more?: object, headers?: Record<string, string>): Promise<ClientResponse>;
}

export interface KeyCustomerOptions {
  meters?: Record<string, { label?: string; max: number }>;
  plan?: object;
  /** The rules of the key. */
  rules?: object;
  bucket?: string;
  tags?: object;
}

export async function keyCustomer(
  client: Client,
  { meters = { requests: { max: 10 } }, plan: more, rules = {}, bucket, tags }: KeyCustomerOptions = {},
): Promise<KeyCustomer> {
  const name = unique("customer");
  const place = bucket ?? (await newMeteringBucket(client));
  const { body: consumer } = await client.post(`${keyBucket}/consumers`, { name, ...(tags && { tags }) });
  const { body: created } = await client.post(`${keyBucket}/consumers/${name}/keys`, rules);
  const plan = await createPlan(client, place, { meters, ...more });
  const { id } = await subscribe(client, place, [plan], { customerKey: name });
  const bucketId = place.split("/").at(-1)!;
  const verify: KeyCustomer["verify"] = (body, headers, query = "") =>
    client.post(`${keyBucket}/verify-key${query}`, { key: created.key, ...body }, headers);
  return {
    name,
    key: created.key,
    keyId: created.id,
    consumerId: consumer.id,
    bucket: place,
    bucketId,
    plan,
    subscription: `${place}/subscriptions/${id}`,
    verify,
    consume: (amounts, headers) => verify({ consume: { bucketId, meters: amounts } }, headers),
    hold: (amounts, options, headers) => verify({ hold: { bucketId, meters: amounts, ...options } }, headers),
  };
}
