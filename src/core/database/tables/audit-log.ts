export {};

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /**
     * The sealed part of the audit log. A row contains the entries of an account that were sealed in one pass. Unsealed
     * entries are in `changes`.
     */
    audit_segments: {
      account_seq: number;
      /** The number of the first entry, from 1 in the order of the account's chain. */
      number: number;
      count: number;
      /** The range of entry ids. Their order may differ from that of the chain. */
      lowest_id: string;
      highest_id: string;
      earliest: number;
      latest: number;
      sealed_on: number;
      /** The hash before the first entry, then one hash of each entry or one of `entries` as a whole, 32 bytes each. */
      hashes: Uint8Array;
      /** The JSON texts, one per line. Compressed with zstd unless they are short. */
      entries: Uint8Array;
    };
    /** Segments by the ids that their entries concern: resources and their parents. */
    audit_topics: {
      account_seq: number;
      topic: string;
      /** The number of the segment. */
      number: number;
    };
    /** The chain of an account's entries: its head, and the anchor that remains after trimming. */
    audit_chains: {
      account_seq: number;
      account: string;
      count: number;
      hash: string;
      sealed_on: number;
      /** The number of the last trimmed entry, or 0. */
      anchor: number;
      anchor_hash: string;
      /** When the oldest remaining segment was sealed. */
      oldest_on: number | null;
      signed_count: number;
      /** The last signed head with its signature. */
      head: string | null;
    };
    /** Ed25519 keys that sign heads. The private key is encrypted. */
    audit_keys: {
      id: string;
      public_key: string;
      private_key: Uint8Array;
      created_on: number;
    };
  }
}
