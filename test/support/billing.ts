import { expect } from "bun:test";
import type { Client, ClientResponse } from "./client.ts";
import { createPlan, type PlanNames, subscribe } from "./metering.ts";
import { account } from "./server-settings.ts";

type Body = ClientResponse["body"];

export const profile = {
  legalName: "Seller GmbH",
  address: { line1: "Hauptstr. 1", city: "Berlin", country: "DE" },
  numberPrefix: "INV-",
  termsDays: 14,
};

export const profilePath = `/v1/accounts/${account}/billing-profile`;

export async function ok(response: Promise<ClientResponse>): Promise<Body> {
  const { status, text, body } = await response;
  expect({ status, text }).toEqual({ status: 200, text });
  return body;
}

export function setProfile(client: Client, more: object = {}): Promise<Body> {
  return ok(client.raw("PUT", profilePath, JSON.stringify({ ...profile, ...more })));
}

/** The path of a new bucket whose time stands still at a given time. */
export async function newTestBucket(client: Client, now: string): Promise<string> {
  const { id } = await ok(client.post("/v1/metering", { isTest: true }));
  await moveTo(client, `/v1/metering/${id}`, now);
  return `/v1/metering/${id}`;
}

export function moveTo(client: Client, bucket: string, now: string): Promise<Body> {
  return ok(client.post(`${bucket}/clock`, { now }));
}

export function monthly(amount: string, currency = "EUR") {
  return { price: { currency, amount, interval: "month" } };
}

/** A rate with one price for each unit beyond the maximum. */
export function perUnit(unitAmount: string) {
  return { overage: "bill", tierMode: "graduated", tiers: [{ upTo: null, unitAmount }] };
}

/** A bucket of its own, a plan, and a subscription of `acme` to it. */
export async function billed(client: Client, now: string, plan: object, subscription: object = {}) {
  const bucket = await newTestBucket(client, now);
  const created = await createPlan(client, bucket, plan);
  const its = await subscribe(client, bucket, [created as PlanNames], subscription);
  return { bucket, plan: created, subscription: its, path: `${bucket}/subscriptions/${its.id}` };
}

export async function invoicesOf(client: Client, bucket: string, query = ""): Promise<Body[]> {
  return (await ok(client.get(`${bucket}/invoices${query}`))).data;
}

/** Kind, amount and period of each line. */
export function linesOf(invoice: Body): unknown[] {
  return invoice.lines.map((line: Body) => [line.kind, line.amount]);
}
