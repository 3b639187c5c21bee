import type { Act } from "../../core/access.ts";
import { recordChange, recordForFollowers } from "../../core/changes/record.ts";
import { type FieldError, invalidFields, notFound, Problem } from "../../core/problems/problem.ts";
import type { Precondition } from "../../lib/http/etag.ts";
import { newId } from "../../lib/ids.ts";
import { canonicalDomain } from "../../lib/network/domain-names.ts";
import { isLoopbackHost } from "../../lib/network/hosts.ts";
import type { Paging } from "../../lib/paging.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import { findDeployment } from "../deployments/deployments.ts";
import { changedDomain } from "./domain-changes.ts";
import type { HostOf } from "./present.ts";
import { claimMilliseconds } from "./schedule.ts";
import * as store from "./store.ts";

export type Domain = store.DomainRow;

/** The maximum of domains of an account: the server looks up each in DNS. */
const maxDomains = 100;

/** The minimum time between two requested checks. */
const recheckMilliseconds = 5_000;

export interface DomainsOptions {
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

  async find(reads: Reads, accountSeq: number, id: string): Promise<Domain> {
    return existing(await store.findDomain(reads, accountSeq, id));
  }

  /** Claims the host; any number of accounts may. Throws if the account already has a claim. */
  async create(
    transaction: WriteTransaction,
    act: Act,
    input: { host: string; deploymentName: string },
  ): Promise<Domain> {
    const host = await this.#checkedHost(transaction, act, input);
    // Two concurrent claims must not both pass the limit, nor both find the host free.
    await transaction.lock(`domains of ${act.account.id}`);
    if (await store.hasHost(transaction, act.account.seq, host)) throw new Problem("domain_exists");
    if ((await store.countDomains(transaction, act.account.seq)) >= maxDomains) throw new Problem("too_many_domains");
    const id = newId("domn", act.now);
    await store.insertDomain(transaction, {
      id,
      account_seq: act.account.seq,
      host,
      deployment_name: input.deploymentName,
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

  /** Checks DNS now instead of after the backoff. */
  async requestCheck(transaction: WriteTransaction, act: Act, id: string): Promise<Domain> {
    const domain = existing(await store.findDomainForUpdate(transaction, act.account.seq, id));
    const due = Math.max(act.now, (domain.checked_on ?? 0) + recheckMilliseconds);
    if (due < domain.next_check_on) await store.updateDomain(transaction, domain.seq, { next_check_on: due });
    recordForFollowers(transaction, act, "domain.check-requested", id);
    return domain;
  }

  /** Requests to the host are no longer routed, as soon as this is committed. */
  async delete(transaction: WriteTransaction, act: Act, id: string, precondition: Precondition): Promise<void> {
    const domain = existing(await store.findDomainForUpdate(transaction, act.account.seq, id));
    precondition(domain);
    await store.deleteDomain(transaction, domain.seq);
    const resource = changedDomain(this.options.hostOf, domain);
    recordChange(transaction, act, "domain.deleted", resource, { host: domain.host });
  }

  async #checkedHost(reads: Reads, act: Act, input: { host: string; deploymentName: string }): Promise<string> {
    const errors: FieldError[] = [];
    const host = canonicalDomain(input.host);
    if (host === undefined)
      errors.push({ pointer: "/host", detail: "must be a full domain name, such as api.example.com" });
    else if (isLoopbackHost(host) || this.options.isOwnHost(host))
      errors.push({ pointer: "/host", detail: "is one of this server's own hosts" });
    if (!(await isDeployment(reads, act, input.deploymentName)))
      errors.push({ pointer: "/deploymentName", detail: "must be the name of a deployment of the account" });
    if (host === undefined || errors.length > 0) throw invalidFields(errors);
    return host;
  }
}

async function isDeployment(reads: Reads, act: Act, name: string): Promise<boolean> {
  try {
    await findDeployment(reads, act.account.seq, name);
    return true;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return false;
    throw error;
  }
}

export async function deleteDomainsOf(transaction: WriteTransaction, act: Act): Promise<Record<string, number>> {
  const deleted = await store.deleteDomainsOf(transaction, act.account.seq);
  for (const { id, host } of deleted) recordForFollowers(transaction, act, "domain.deleted", id, { host });
  return { domains: deleted.length };
}

function existing(domain: Domain | undefined): Domain {
  if (!domain) throw notFound("domain");
  return domain;
}
