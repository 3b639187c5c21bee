import { type AreaContext, areaOf } from "../../../api/area.ts";
import { noBody } from "../../../api/body.ts";
import { list, read, remove, write } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import { Wakeable } from "../../../lib/tasks/wakeable.ts";
import { DnsLookup } from "../../../platform/dns-lookup.ts";
import type { Certificates } from "../../../platform/tls/certificates.ts";
import { DomainChecker } from "./checker.ts";
import type { Domain, Domains } from "./domains.ts";
import { presentDomain } from "./present.ts";
import { domain, domainInput, domainPatch } from "./schema.ts";

const domainsPath = "/v1/accounts/{accountName}/domains";
const domainPath = `${domainsPath}/{domainId}` as const;

/** The maximum delay of a scheduled check. */
const lookSeconds = 1;

interface DomainServices {
  domains: Domains;
  dnsServers: ConstructorParameters<typeof DnsLookup>[0];
  /** The certificates of the listeners. Undefined if they speak plain HTTP. */
  certificates: Pick<Certificates, "show" | "errors"> | undefined;
}

export function domainArea(
  { storage, clock, log, lifecycle, address }: AreaContext,
  { domains, dnsServers, certificates }: DomainServices,
) {
  const hostOf = (deployment: string) => address.hostOf(deployment);
  const checker = new DomainChecker({ storage, dns: new DnsLookup(dnsServers), clock, hostOf });
  const checks = new Wakeable(
    (signal) => checker.checkDue(signal),
    (error) => log.warn("custom domains could not be checked; will retry", { error }),
  );
  let isStarted = false;
  const wake = () => {
    if (isStarted) checks.wake();
  };
  storage.feed.follow(
    "domain checks",
    { "domain.created": wake, "domain.updated": wake, "domain.check-requested": wake },
    wake,
  );
  const present = (row: Domain) => {
    const shown = presentDomain(row, hostOf);
    const certificate = certificates?.show(row.host) ?? null;
    const error = row.status === "pending" ? undefined : certificates?.errors.get(row.host);
    const message = shown.message ?? (error && `The last order for a certificate failed: ${error}`);
    return { ...shown, certificate, ...(message === undefined ? {} : { message }) };
  };
  // Checks and certificates change without a new revision.
  const reply = (row: Domain) => ({ body: present(row), revision: row, composed: true });
  const operations = [
    list({
      operationId: "listDomains",
      path: domainsPath,
      summary: "List custom domains",
      access: "read",
      item: domain,
      listName: "DomainList",
      handle: async ({ reads, account, query }) => presentPage(await domains.list(reads, account.seq, query), present),
    }),
    write({
      operationId: "createDomain",
      method: "POST",
      path: domainsPath,
      summary: "Claim a host for a deployment",
      description:
        "Give `deploymentName`, or `mounts` for several deployments by path. " +
        "Set the records in `dns`. The server looks them up with increasing intervals. A claim that is not proven within " +
        "seven days is removed; it does not prevent other accounts from proving the host.",
      access: "edit",
      body: domainInput,
      response: domain,
      problems: ["domain_exists", "too_many_domains"],
      examples: { request: { host: "api.acme.example", deploymentName: "orders-main-1a2b3c4" } },
      handle: async ({ act, body }, transaction) => reply(await domains.create(transaction, act, body)),
    }),
    read({
      operationId: "getDomain",
      path: domainPath,
      summary: "Read a custom domain",
      access: "read",
      response: domain,
      handle: async ({ reads, account, params }) => reply(await domains.find(reads, account.seq, params.domainId)),
    }),
    write({
      operationId: "updateDomain",
      method: "PATCH",
      path: domainPath,
      summary: "Change the deployments of a domain",
      description: "Applies to the next request. The host and its proof are not changed.",
      access: "edit",
      body: domainPatch,
      response: domain,
      examples: {
        request: {
          mounts: [
            { path: "/", deploymentName: "shop-main-9f8e7d6" },
            { path: "/billing", deploymentName: "billing-main-1a2b3c4", stripPath: true },
          ],
        },
      },
      handle: async ({ act, params, body, precondition }, transaction) =>
        reply(await domains.update(transaction, act, params.domainId, body, precondition)),
    }),
    write({
      operationId: "checkDomain",
      method: "POST",
      path: `${domainPath}/check`,
      summary: "Look up the records of a domain now",
      description:
        "Does not wait for the next scheduled lookup. The lookup is made within a few seconds after the response.",
      access: "edit",
      body: noBody,
      response: domain,
      handle: async ({ act, params }, transaction) =>
        reply(await domains.requestCheck(transaction, act, params.domainId)),
    }),
    remove({
      operationId: "deleteDomain",
      path: domainPath,
      summary: "Delete a custom domain",
      description: "Requests to its host are no longer routed.",
      access: "edit",
      handle: ({ act, params, precondition }, transaction) =>
        domains.delete(transaction, act, params.domainId, precondition),
    }),
  ];
  return areaOf(
    { Domains: "The account's own hosts, proven by a TXT record and served by its deployments." },
    operations,
    {
      async start() {
        isStarted = true;
        lifecycle.onClose("domain checks", () => checks.stop());
        lifecycle.every(lookSeconds, "domain checks", async () => wake());
      },
    },
  );
}
