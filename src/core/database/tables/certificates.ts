export {};

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /** Certificates that are ordered from an authority, by the host they are for. */
    certificates: {
      host: string;
      /** PEM, the leaf first. Null until the first was issued. */
      chain: string | null;
      /** PEM, sealed. */
      private_key: Uint8Array | null;
      issued_on: number | null;
      /** When to order it next: for the first time, again after a failure, or to renew it. */
      due_on: number;
      /** In a row. */
      failures: number;
      /** Why the last order failed; null after a success. */
      error: string | null;
      /** The order under way. */
      lease: string | null;
      lease_ends_on: number | null;
    };
    /** The installation's account at each authority. */
    acme_accounts: {
      directory: string;
      /** PEM, sealed. */
      private_key: Uint8Array;
      created_on: number;
    };
    /** What authorities may ask for over plain HTTP, from any node. */
    acme_challenges: {
      token: string;
      key_authorization: string;
      created_on: number;
    };
  }
}
