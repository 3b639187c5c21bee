import { createMetered, customerKey, type Metered, meter } from "./metering.ts";
import { call, type RunningServer } from "./server.ts";

/** A consumer whose key and subscription are valid for any benchmark, and the policies that require them. */
export interface Guard {
  readonly key: string;
  readonly metered: Metered;
  /** For `tollgate.json`. */
  readonly policies: Record<string, object>;
}

const plentiful = 1_000_000_000;

/** The names of the policies, for routes. */
export const guards = ["key", "quota", "limit"];

export async function createGuard(server: RunningServer): Promise<Guard> {
  const metered = await createMetered(server, plentiful);
  const consumersPath = "/v1/accounts/default/key-buckets/bench/consumers?with-api-key=true";
  const consumer = await call<{ apiKeys: { key: string }[] }>(server, "POST", consumersPath, { name: customerKey });
  const policies = {
    key: { type: "api-key", options: { bucket: "bench" } },
    quota: { type: "quota", options: { bucketId: metered.bucketPath.split("/").at(-1), meters: { [meter]: 1 } } },
    usage: {
      type: "usage",
      options: {
        bucketId: metered.bucketPath.split("/").at(-1),
        meters: { [meter]: { header: "x-units", default: 1 } },
        reserve: { [meter]: { amount: 1 } },
      },
    },
    limit: { type: "rate-limit", options: { requests: plentiful, windowSeconds: 3600 } },
  };
  return { key: consumer.apiKeys[0]!.key, metered, policies };
}
