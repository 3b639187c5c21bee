import { call, type RunningServer } from "./server.ts";

/** A metering bucket with one subscription, ready to be used. */
export interface Metered {
  readonly bucketPath: string;
  readonly subscriptionPath: string;
}

export const customerKey = "bench";
export const meter = "requests";

export async function createMetered(server: RunningServer, max: number): Promise<Metered> {
  const bucket = await call<{ id: string }>(server, "POST", "/v1/metering");
  return subscribe(server, `/v1/metering/${bucket.id}`, customerKey, { meters: { [meter]: { max } } });
}

/** A subscription of a customer to a plan of its own, with the same name. */
export async function subscribe(
  server: RunningServer,
  bucketPath: string,
  name: string,
  plan: object,
): Promise<Metered> {
  const { id } = await call<{ id: string }>(server, "POST", `${bucketPath}/plans`, {
    label: "Bench",
    planExternalId: name,
    ...plan,
  });
  const subscription = await call<{ id: string }>(server, "POST", `${bucketPath}/subscriptions`, {
    planIds: [id],
    planExternalIds: [name],
    status: "active",
    type: "periodic",
    renewalStrategy: "monthly",
    region: "us-east1",
    customerKey: name,
    subscriptionExternalId: name,
    customerExternalId: name,
  });
  return { bucketPath, subscriptionPath: `${bucketPath}/subscriptions/${subscription.id}` };
}

export async function usedOf(server: RunningServer, metered: Metered): Promise<number> {
  const usage = await call<{ meters: Record<string, { used: number }> }>(
    server,
    "GET",
    `${metered.subscriptionPath}/usage`,
  );
  return usage.meters[meter]!.used;
}

const idWidth = 12;

/** Batches of events with ids of their own, as records for load plans: each is the body of one request. */
export function eventBatches(first: number, count: number, size: number): { text: string; width: number } {
  const batches = Array.from({ length: count }, (_, batch) => {
    const events = Array.from({ length: size }, (_, index) => event(first + batch * size + index));
    return `[${events.join(",")}]`;
  });
  return { text: batches.join(""), width: batches[0]!.length };
}

function event(number: number): string {
  const id = String(number).padStart(idWidth, "0");
  return `{"specversion":"1.0","id":"${id}","source":"bench","type":"request","subject":"${customerKey}","data":{"${meter}":1}}`;
}
