import { afterAll, beforeAll, expect } from "bun:test";
import type { Client, ClientResponse } from "./client.ts";
import { DnsServer } from "./dns-server.ts";
import type { FakeClock } from "./fake-clock.ts";
import { account, type Environment } from "./server-settings.ts";
import { until } from "./until.ts";

/** A DNS server for the tests of a file, and settings for a server that uses it. */
export function useDns(more: Environment = {}): { dns: DnsServer; environment: Environment } {
  const dns = new DnsServer();
  const environment = { ...more };
  beforeAll(async () => {
    await dns.start();
    environment.TOLLGATE_DNS_SERVERS = dns.address;
  });
  afterAll(() => dns.stop());
  return { dns, environment };
}

export type DomainBody = ClientResponse["body"];

export const domainsPath = (accountName = account) => `/v1/accounts/${accountName}/domains`;

/** Waits until the domain matches, after the server's own checks. */
export function settledDomain(
  client: Client,
  path: string,
  fits: (domain: DomainBody) => boolean,
  what = "the domain to settle",
): Promise<DomainBody> {
  let last = "";
  return until(
    async () => {
      const { body, text } = await client.get(path);
      last = text;
      return fits(body) ? body : undefined;
    },
    { what: () => `${what}; it is ${last}` },
  );
}

/** Creates a domain, and proves that the account owns it. */
export async function activeDomain(
  { client, clock }: { client: Client; clock: FakeClock },
  dns: DnsServer,
  input: object,
): Promise<DomainBody> {
  const created = await client.post(domainsPath(), input);
  expect({ status: created.status, text: created.text }).toEqual({ status: 200, text: created.text });
  const at = `${domainsPath()}/${created.body.id}`;
  await settledDomain(client, at, ({ checkedOn }) => checkedOn !== undefined, "the first check");
  dns.add("TXT", created.body.dns[0].name, created.body.dns[0].value);
  clock.advance(5_001);
  await client.post(`${at}/check`);
  return settledDomain(client, at, ({ status }) => status === "active", "activation");
}
