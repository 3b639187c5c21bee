import { expect } from "bun:test";
import type { Client, ClientResponse } from "./client.ts";

/** What the interface returns; the contract has checked its shape. */
type Body = ClientResponse["body"];

let count = 0;

/** Returns a name that no other test uses. */
export function unique(name: string): string {
  count += 1;
  return `${name}-${count}`;
}

async function created(response: Promise<ClientResponse>): Promise<Body> {
  const { status, text, body } = await response;
  expect({ status, text }).toEqual({ status: 200, text });
  return body;
}

/** The path of a new, empty metering bucket. */
export async function newMeteringBucket(client: Client): Promise<string> {
  return `/v1/metering/${(await created(client.post("/v1/metering"))).id}`;
}

export function planInput(more: object = {}) {
  return {
    label: "Gold",
    planExternalId: unique("price"),
    meters: { requests: { label: "Requests", max: 100 } } as Record<string, { label?: string; max: number }>,
    ...more,
  };
}

export function createPlan(client: Client, bucket: string, more?: object): Promise<Body> {
  return created(client.post(`${bucket}/plans`, planInput(more)));
}

export interface PlanNames {
  id: string;
  planExternalId: string;
}

export function subscriptionInput(plans: PlanNames[], more: object = {}) {
  return {
    planIds: plans.map((plan) => plan.id),
    planExternalIds: plans.map((plan) => plan.planExternalId),
    status: "active",
    type: "periodic",
    renewalStrategy: "monthly",
    region: "europe-west4",
    customerKey: "acme",
    subscriptionExternalId: unique("sub"),
    customerExternalId: "cus_1",
    ...more,
  };
}

export function subscribe(client: Client, bucket: string, plans: PlanNames[], more?: object): Promise<Body> {
  return created(client.post(`${bucket}/subscriptions`, subscriptionInput(plans, more)));
}

/** A bucket with one plan and one subscription to it, of the customer `acme`. */
export interface Subscribed {
  bucket: string;
  plan: Body;
  subscription: Body;
  /** The path of the subscription. */
  path: string;
}

export async function subscribed(client: Client, plan?: object, subscription?: object): Promise<Subscribed> {
  const bucket = await newMeteringBucket(client);
  const itsPlan = await createPlan(client, bucket, plan);
  const its = await subscribe(client, bucket, [itsPlan], subscription);
  return { bucket, plan: itsPlan, subscription: its, path: `${bucket}/subscriptions/${its.id}` };
}

/** An event of the customer `acme` with a unique id. */
export function usageEvent<Data>(data: Data, more: object = {}) {
  return {
    specversion: "1.0",
    id: unique("event"),
    source: "gateway",
    type: "request",
    subject: "acme",
    data,
    ...more,
  };
}

export async function record(client: Client, bucket: string, events: unknown): Promise<Body> {
  return created(client.post(`${bucket}/events`, events));
}

/** The meters of a period, by default the current one: `{requests: {used, max, available, label}}`. */
export async function metersOf(client: Client, path: string, at?: string): Promise<Body> {
  const query = at === undefined ? "" : `?at=${encodeURIComponent(at)}`;
  return (await created(client.get(`${path}/usage${query}`))).meters;
}

/** The used amount of each meter. */
export async function usedOf(client: Client, path: string, at?: string): Promise<Record<string, number>> {
  const meters: Record<string, { used: number }> = await metersOf(client, path, at);
  return Object.fromEntries(Object.entries(meters).map(([meter, { used }]) => [meter, used]));
}

/** The visible state of a bucket, to detect changes. */
export async function meteringState(client: Client, bucket: string): Promise<unknown> {
  const responses: unknown[] = [];
  const look = async (path: string): Promise<Body> => {
    const { status, body, headers } = await client.get(path);
    responses.push({ path, status, body: status === 200 ? body : undefined, etag: headers.get("etag") });
    return body;
  };
  await look(bucket);
  for (const { id } of (await look(`${bucket}/plans`)).data ?? []) await look(`${bucket}/plans/${id}`);
  for (const { id } of (await look(`${bucket}/subscriptions`)).data ?? []) {
    await look(`${bucket}/subscriptions/${id}`);
    await look(`${bucket}/subscriptions/${id}/usage/history`);
  }
  await look(`${bucket}/reconciliation`);
  return responses;
}
