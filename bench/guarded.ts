import { bucketPath } from "./dataset.ts";
import { createMetered, customerKey, type Metered, meter } from "./metering.ts";
import { call, type RunningServer } from "./server.ts";

/** A consumer whose key and subscription are valid for any benchmark, and the policies that require them. */
export interface Guard {
  readonly key: string;
  readonly metered: Metered;
  /** For `tollgate.json`: the policies of `guards`. */
  readonly policies: Record<string, object>;
  /** A policy that reserves and counts, for routes that name it. */
  readonly usage: object;
}

const plentiful = 1_000_000_000;

/** The names of the policies, for routes. */
export const guards = ["key", "quota", "limit"];

export async function createGuard(server: RunningServer): Promise<Guard> {
  const metered = await createMetered(server, plentiful);
  const consumersPath = "/v1/accounts/default/key-buckets/bench/consumers?with-api-key=true";
  const consumer = await call<{ apiKeys: { key: string }[] }>(server, "POST", consumersPath, { name: customerKey });
  const bucketId = metered.bucketPath.split("/").at(-1);
  const policies = {
    key: { type: "api-key", options: { bucket: "bench" } },
    quota: { type: "quota", options: { bucketId, meters: { [meter]: 1 } } },
    limit: { type: "rate-limit", options: { requests: plentiful, windowSeconds: 3600 } },
  };
  const usage = {
    type: "usage",
    options: {
      bucketId,
      meters: { [meter]: { header: "x-units", default: 1 } },
      reserve: { [meter]: { amount: 1 } },
    },
  };
  return { key: consumer.apiKeys[0]!.key, metered, policies, usage };
}

/** Creates a consumer with one key, and returns the key's value. */
export async function createKey(server: RunningServer, name: string, fields: object): Promise<string> {
  const body = { name, apiKeys: [fields] };
  const { apiKeys } = await call<{ apiKeys: { key: string }[] }>(server, "POST", `${bucketPath}/consumers`, body);
  return apiKeys[0]!.key;
}
