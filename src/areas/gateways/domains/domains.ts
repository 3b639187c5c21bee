import type { Act } from "../../../core/access.ts";
import { recordChange, recordForFollowers } from "../../../core/changes/record.ts";
import { existing, type FieldError, invalidFields, Problem } from "../../../core/problems/problem.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import { canonicalDomain } from "../../../lib/network/domain-names.ts";
import { isLoopbackHost } from "../../../lib/network/hosts.ts";
import type { Paging } from "../../../lib/paging.ts";
import { findRow } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { changedDomain } from "./domain-changes.ts";
import { type DeploymentsInput, routedDomain, storedDeployments } from "./mounts.ts";
import type { HostOf } from "./present.ts";
import { claimMilliseconds } from "./schedule.ts";
import * as store from "./store.ts";

export { ownsHost } from "./store.ts";

export type Domain = store.DomainRow;

/** The maximum number of domains of an account: the server looks up each in DNS. */
const maxDomains = 100;

/** The minimum time between two requested checks. */
const recheckMilliseconds = 5_000;

interface DomainsOptions {
  hostOf: HostOf;
  /** Whether a host belongs to the server: to the management API, or to deployments by their names. */
  isOwnHost(host: string): boolean;
}

/** The custom domains of accounts. The checks apply the DNS records, see check-outcome.ts. */
export class Domains {
  constructor(private readonly options: DomainsOptions) {}

  list(reads: Reads, accountSeq: number, paging: Paging) {
    return store.listDomains(reads, accountSeq, paging);
  }

  find(reads: Reads, accountSeq: number, id: string): Promise<Domain> {
    return existing(store.findDomain(reads, accountSeq, id), "domain");
  }

  /** Claims the host; any number of accounts may. Throws if the account already has a claim. */
  async create(transaction: WriteTransaction, act: Act, input: { host: string } & DeploymentsInput): Promise<Domain> {
    const errors: FieldError[] = [];
    const host = this.#checkedHost(input.host, errors);
    const deployments = await storedDeployments(transaction, act, input, errors);
    if (host === undefined || deployments === undefined) throw invalidFields(errors);
    // Two concurrent claims must not both pass the limit, nor both find the host free.
    await transaction.lock(`domains of ${act.account.id}`);
    if (await findRow(transaction, "domains", { account_seq: act.account.seq, host }))
      throw new Problem("domain_exists");
    if ((await store.countDomains(transaction, act.account.seq)) >= maxDomains) throw new Problem("too_many_domains");
    const id = newId("domn", act.now);
    await transaction.insert("domains", {
      id,
      account_seq: act.account.seq,
      host,
      ...deployments,
      status: "pending",
      expires_on: act.now + claimMilliseconds,
      failing_since: null,
      is_proof_seen: 0,
      is_route_seen: 0,
      finding: null,
      checked_on: null,
      next_check_on: act.now,
      checks: 0,
      version: 1,
      created_on: act.now,
      updated_on: act.now,
    });
    const created = await this.find(transaction, act.account.seq, id);
    recordChange(transaction, act, "domain.created", changedDomain(this.options.hostOf, undefined, created));
    return created;
  }

  /** Changes the deployments of the domain. Its next check compares the CNAME record with the new target. */
  async update(
    transaction: WriteTransaction,
    act: Act,
    id: string,
    input: DeploymentsInput,
    precondition: Precondition,
  ): Promise<Domain> {
    const domain = await existing(store.findDomainForUpdate(transaction, act.account.seq, id), "domain");
    precondition(domain);
    const errors: FieldError[] = [];
    const deployments = await storedDeployments(transaction, act, input, errors, domain);
    if (deployments === undefined) throw invalidFields(errors);
    if (deployments.deployment_name === domain.deployment_name && deployments.mounts === domain.mounts) return domain;
    const isMoved = deployments.deployment_name !== domain.deployment_name;
    await transaction.update("domains", domain.seq, {
      deployment_name: deployments.deployment_name,
      mounts: deployments.mounts,
      ...(isMoved ? { is_route_seen: 0, next_check_on: act.now } : {}),
      version: domain.version + 1,
      updated_on: act.now,
    });
    const updated = await this.find(transaction, act.account.seq, id);
    const resource = changedDomain(this.options.hostOf, domain, updated);
    recordChange(transaction, act, "domain.updated", resource, routedDomain(updated));
    return updated;
  }

  /** Checks DNS now instead of after the backoff. */
  async requestCheck(transaction: WriteTransaction, act: Act, id: string): Promise<Domain> {
    const domain = await existing(store.findDomainForUpdate(transaction, act.account.seq, id), "domain");
    const due = Math.max(act.now, (domain.checked_on ?? 0) + recheckMilliseconds);
    if (due < domain.next_check_on) await transaction.update("domains", domain.seq, { next_check_on: due });
    recordForFollowers(transaction, act, "domain.check-requested", id);
    return domain;
  }

  /** Requests to the host are no longer routed, as soon as this is committed. */
  async delete(transaction: WriteTransaction, act: Act, id: string, precondition: Precondition): Promise<void> {
    const domain = await existing(store.findDomainForUpdate(transaction, act.account.seq, id), "domain");
    precondition(domain);
    await transaction.delete("domains", domain.seq);
    const resource = changedDomain(this.options.hostOf, domain);
    recordChange(transaction, act, "domain.deleted", resource, { host: domain.host });
  }

  #checkedHost(input: string, errors: FieldError[]): string | undefined {
    const host = canonicalDomain(input);
    if (host !== undefined && !isLoopbackHost(host) && !this.options.isOwnHost(host)) return host;
    errors.push({
      pointer: "/host",
      detail:
        host === undefined
          ? "must be a full domain name, such as api.example.com"
          : "is one of this server's own hosts",
    });
    return undefined;
  }
}

export async function deleteDomainsOf(transaction: WriteTransaction, act: Act): Promise<Record<string, number>> {
  const deleted = await store.deleteDomainsOf(transaction, act.account.seq);
  for (const { id, host } of deleted) recordForFollowers(transaction, act, "domain.deleted", id, { host });
  return { domains: deleted.length };
}
