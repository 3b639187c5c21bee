import type { Keyring } from "../../../lib/crypto/keyring.ts";
import { Wakeable } from "../../../lib/tasks/wakeable.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { deleteRows, updateRows } from "../../../platform/storage/rows.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import { isCertifiable } from "../../../platform/tls/certifiable.ts";
import { Certificate } from "../../../platform/tls/certificate.ts";
import type { Certificates } from "../../../platform/tls/certificates.ts";
import type { AcmeDirectory } from "./acme-directory.ts";
import { AcmeError } from "./acme-request.ts";
import * as store from "./store.ts";
import { StoredCertificates, sealPurpose } from "./stored-certificates.ts";

const minute = 60_000;
const hour = 60 * minute;

/** The delays after consecutive failures; the last one repeats. Authorities count failed orders per hour. */
const pauses = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour];

/** Two thirds of its validity, as authorities recommend. */
function renewalTime({ notBefore, notAfter }: { notBefore: number; notAfter: number }): number {
  return Math.floor(notBefore + ((notAfter - notBefore) * 2) / 3);
}

/** Returns when to order again after a failure, never before the authority's `Retry-After`. */
function retryTime(now: number, failures: number, retryAfterSeconds = 0): number {
  return now + Math.max(pauses[Math.min(failures, pauses.length - 1)]!, retryAfterSeconds * 1000);
}

interface IssuerOptions {
  storage: Storage;
  keyring: Keyring;
  clock: Clock;
  log: Log;
  directory: AcmeDirectory;
  certificates: Certificates;
  /** Returns every host that needs a certificate, from storage. Certificates of other hosts are deleted. */
  wantedHosts(): Promise<string[]>;
}

/** Longer than an order takes. */
const leaseMilliseconds = 10 * 60_000;
const challengeMilliseconds = 24 * 60 * 60_000;
/** A host that the authority reaches slowly does not delay the others. */
const ordersAtOnce = 4;

/**
 * Orders certificates for the hosts that need one, and renews them. Any node may order; it holds a lease, and the other
 * nodes follow the change feed.
 */
export class CertificateIssuer {
  readonly #stored: StoredCertificates;
  readonly #syncing: Wakeable;
  readonly #ordering: Wakeable;
  /** The authority sent a Retry-After. */
  #pausedUntil = 0;

  constructor(private readonly options: IssuerOptions) {
    const { storage, keyring, certificates, log } = options;
    const warn = (message: string, fields: object) => log.warn(message, { ...fields });
    this.#stored = new StoredCertificates(storage, keyring, certificates, warn);
    this.#syncing = new Wakeable(
      () => this.#stored.sync(),
      (error) => log.warn("certificates could not be loaded; will retry", { error }),
    );
    this.#ordering = new Wakeable(
      (signal) => this.#orderAll(signal),
      (error) => log.warn("certificates could not be ordered; will retry", { error }),
    );
    const sync = () => this.#syncing.wake();
    const order = () => this.#ordering.wake();
    storage.feed.follow(
      "certificates",
      {
        "certificate.issued": sync,
        "certificate.failed": sync,
        "certificate.deleted": sync,
        "deployment.activated": order,
        "deployment.deleted": order,
        "domain.activated": order,
        "domain.released": order,
        "domain.deleted": order,
      },
      () => this.wake(),
    );
  }

  /** Loads the stored certificates, and begins to order the missing ones. */
  async start(): Promise<void> {
    const { storage } = this.options;
    // No other process can be working on these orders.
    if (!storage.isShared) await storage.write((transaction) => store.releaseAllCertificates(transaction));
    await this.#stored.sync();
    this.#ordering.wake();
  }

  /** Looks for due certificates, and for changes that were missed while the change feed was not followed. */
  wake(): void {
    this.#syncing.wake();
    this.#ordering.wake();
  }

  async stop(): Promise<void> {
    await this.#ordering.stop();
    await this.#syncing.stop();
  }

  async #orderAll(signal: AbortSignal): Promise<void> {
    await this.#plan();
    await Promise.all(Array.from({ length: ordersAtOnce }, () => this.#orderDue(signal)));
  }

  /** Adds hosts that need a certificate, and removes those that no longer do. */
  async #plan(): Promise<void> {
    const { storage, clock, certificates, wantedHosts } = this.options;
    // Read before the list of hosts: a host that another node adds in between is then neither known nor deleted here.
    const known = new Set((await store.allStates(storage.reads)).map(({ host }) => host));
    const hosts = (await wantedHosts()).map((host) => host.toLowerCase());
    const wanted = new Set(hosts.filter((host) => isCertifiable(host) && !certificates.isFromFiles(host)));
    const missing = [...wanted].filter((host) => !known.has(host));
    const surplus = [...known].filter((host) => !wanted.has(host));
    if (missing.length === 0 && surplus.length === 0) return;
    await storage.write(async (transaction) => {
      await store.addHosts(transaction, missing, clock.now());
      for (const host of surplus) {
        await deleteRows(transaction, "certificates", { host });
        record(transaction, "certificate.deleted", host);
      }
      await store.deleteChallengesBefore(transaction, clock.now() - challengeMilliseconds);
    });
  }

  async #orderDue(signal: AbortSignal): Promise<void> {
    const { storage, clock } = this.options;
    while (!signal.aborted && clock.now() >= this.#pausedUntil) {
      const now = clock.now();
      if (!(await store.hasDueCertificate(storage.reads, now))) return;
      const lease = { id: crypto.randomUUID(), endsOn: now + leaseMilliseconds };
      const claimed = await storage.write((transaction) => store.claimDue(transaction, lease, now));
      if (!claimed) return;
      await this.#order(claimed, lease.id, signal);
    }
  }

  async #order({ host, failures }: store.CertificateRow, lease: string, signal: AbortSignal): Promise<void> {
    const { storage, directory } = this.options;
    let certificate: Certificate;
    try {
      const { chain, key } = await directory.order(host, signal);
      certificate = Certificate.parse(chain, key);
    } catch (error) {
      const released = { lease: null, lease_ends_on: null };
      if (signal.aborted)
        await storage.write((transaction) => updateRows(transaction, "certificates", { lease }, released));
      else await this.#failed({ host, failures }, lease, error);
      return;
    }
    await this.#issued(host, lease, certificate);
  }

  async #issued(host: string, lease: string, certificate: Certificate): Promise<void> {
    const { storage, keyring, clock, log } = this.options;
    const dueOn = renewalTime(certificate);
    const privateKey = keyring.seal(certificate.key, sealPurpose);
    const issued: store.Issued = { chain: certificate.chain, privateKey, issuedOn: clock.now(), dueOn };
    const isSaved = await storage.write(async (transaction) => {
      if (!(await store.saveIssued(transaction, host, lease, issued))) return false;
      record(transaction, "certificate.issued", host);
      return true;
    });
    const { issuer } = certificate;
    if (isSaved)
      log.info("certificate issued", { host, issuer, expiresOn: iso(certificate.notAfter), renewsOn: iso(dueOn) });
  }

  async #failed(
    { host, failures }: Pick<store.CertificateRow, "host" | "failures">,
    lease: string,
    reason: unknown,
  ): Promise<void> {
    const { storage, clock, log } = this.options;
    const { retryAfterSeconds, isRateLimit } = reason instanceof AcmeError ? reason : { isRateLimit: false };
    const dueOn = retryTime(clock.now(), failures, retryAfterSeconds);
    if (isRateLimit) this.#pausedUntil = Math.max(this.#pausedUntil, dueOn);
    const error = reason instanceof Error ? reason.message : String(reason);
    await storage.write(async (transaction) => {
      if (await store.saveFailure(transaction, host, lease, { error, dueOn }))
        record(transaction, "certificate.failed", host);
    });
    log.warn("a certificate could not be ordered; will retry", { host, reason: error, retryOn: iso(dueOn) });
  }
}

function record(
  transaction: WriteTransaction,
  kind: "certificate.issued" | "certificate.failed" | "certificate.deleted",
  host: string,
): void {
  transaction.record({ accountSeq: null, actor: "system", kind, subject: host, data: undefined });
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
