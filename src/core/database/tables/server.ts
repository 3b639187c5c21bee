export {};

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    idempotency_keys: {
      credential: string;
      key: string;
      fingerprint: Uint8Array;
      /** Status, headers and body of the first response, encrypted because responses may contain keys. */
      answer: Uint8Array;
      created_on: number;
    };
    /** The last written batch of each counter writer, see batch-writer.ts. */
    written_batches: {
      writer: string;
      number: number;
      written_on: number;
    };
    /** Names of the encryption keys of stored values. */
    encryption_keys: {
      name: string;
      /** When a server last started with this key as its first. */
      created_on: number;
    };
  }
}
