export {};

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    idempotency_keys: {
      credential: string;
      key: string;
      fingerprint: Uint8Array;
      /** Status, headers and body of the first response, sealed: responses may hold keys. */
      answer: Uint8Array;
      created_on: number;
    };
    /** The last batch that each writer of counters has written, see batch-writer.ts. */
    written_batches: {
      writer: string;
      number: number;
      written_on: number;
    };
    /** Names of the encryption keys that stored values are sealed under. */
    encryption_keys: {
      name: string;
      /** When a server last started with it as its first key. */
      created_on: number;
    };
  }
}
