import type { Keyring } from "../../../lib/crypto/keyring.ts";
import { findRow, updateRows } from "../../../platform/storage/rows.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { Certificate } from "../../../platform/tls/certificate.ts";
import type { Certificates } from "../../../platform/tls/certificates.ts";
import * as store from "./store.ts";

export const sealPurpose = "certificate-key";

/** Keeps the certificates of a node equal to those in storage. */
export class StoredCertificates {
  /** When each loaded certificate was issued. */
  readonly #loaded = new Map<string, number>();

  constructor(
    private readonly storage: Storage,
    private readonly keyring: Keyring,
    private readonly certificates: Certificates,
    private readonly warn: (message: string, fields: object) => void,
  ) {}

  async sync(): Promise<void> {
    const states = await store.allStates(this.storage.reads);
    const errors = new Map<string, string>();
    for (const { host, issued_on, error } of states) {
      if (error !== null) errors.set(host, error);
      if (issued_on !== null && this.#loaded.get(host) !== issued_on) await this.#load(host, issued_on);
    }
    this.certificates.errors = errors;
    const stored = new Set(states.map(({ host }) => host));
    for (const host of [...this.#loaded.keys()].filter((each) => !stored.has(each))) {
      this.#loaded.delete(host);
      this.certificates.deleteOrdered(host);
    }
  }

  async #load(host: string, issuedOn: number): Promise<void> {
    const row = await findRow(this.storage.reads, "certificates", { host });
    if (!row?.chain || !row.private_key) return;
    const key = this.keyring.openIfKnown(row.private_key, sealPurpose);
    if (key === undefined) {
      this.#loaded.delete(host);
      this.warn("a certificate is encrypted with a key that is missing; it will be ordered again", { host });
      const due = { chain: null, private_key: null, issued_on: null, due_on: 0 };
      await this.storage.write((transaction) => updateRows(transaction, "certificates", { host }, due));
      return;
    }
    this.#loaded.set(host, issuedOn);
    this.certificates.setOrdered(host, Certificate.parse(row.chain, key));
  }
}
