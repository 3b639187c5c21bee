import { expect } from "bun:test";
import type { Client, ClientResponse } from "./client.ts";
import { createPlan, type PlanNames, record, subscribe, usageEvent } from "./metering.ts";
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

/** A plan without a fee whose usage beyond the maximum is billed, with one price or another rate. */
export function rated(rate: string | object, { amount = "0.00", max = 100 } = {}) {
  return {
    ...monthly(amount),
    meters: { requests: { label: "Requests", max } },
    rates: { requests: typeof rate === "string" ? perUnit(rate) : rate },
  };
}

/** Records requests of `acme`, now or at another time. */
export function use(client: Client, bucket: string, requests: number, time?: string) {
  return record(client, bucket, usageEvent({ requests }, time === undefined ? {} : { time }));
}

/** The used requests of a subscription in the period of a time. */
export async function usedOf(client: Client, subscription: string, at: string): Promise<number> {
  return (await ok(client.get(`${subscription}/usage?at=${at}`))).meters.requests.used;
}

/** The lines of all invoices of a subscription. */
export async function linesOfAll(client: Client, bucket: string, subscription: string): Promise<unknown[]> {
  const invoices = await invoicesOf(client, bucket, `?subscriptionId=${subscription.split("/").at(-1)}`);
  return invoices.flatMap(linesOf);
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

/** A new invoice as PDF, of a seller with this name. */
export async function newInvoicePdf(client: Client, legalName: string): Promise<ClientResponse> {
  await setProfile(client, { legalName });
  const { bucket } = await billed(client, "2031-01-01T00:00:00.000Z", monthly("30.00"));
  const [invoice] = await invoicesOf(client, bucket);
  return client.get(`${bucket}/invoices/${invoice.id}`, { accept: "application/pdf" });
}

/** Kind, amount and period of each line. */
export function linesOf(invoice: Body): unknown[] {
  return invoice.lines.map((line: Body) => [line.kind, line.amount]);
}
