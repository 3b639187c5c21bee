export {};

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /** The sealed part of the audit log: what a pass has sealed of an account. What is not sealed yet is in `changes`. */
    audit_segments: {
      account_seq: number;
      /** That of its first entry, from 1 in the order of the account's chain. */
      number: number;
      count: number;
      /** Of its entries; their order is that of the chain, which may be another. */
      lowest_id: string;
      highest_id: string;
      earliest: number;
      latest: number;
      /** That before the first entry, then that of each, or one of `entries` as they are: 32 bytes each. */
      hashes: Uint8Array;
      /** The JSON texts, a line each; compressed with zstd, unless they are short. */
      entries: Uint8Array;
    };
    /** Segments by the ids that their entries are about: resources and what those belong to. */
    audit_topics: {
      account_seq: number;
      topic: string;
      /** That of the segment. */
      number: number;
    };
    /** The chain of an account's entries: its head, and the anchor that trimming left. */
    audit_chains: {
      account_seq: number;
      account: string;
      count: number;
      hash: string;
      sealed_on: number;
      /** The last entry that was trimmed, 0 if none was. */
      anchor: number;
      anchor_hash: string;
      /** Time of the newest entry in the oldest segment that is left. */
      oldest_on: number | null;
      signed_count: number;
      /** The head that was signed last, with its signature. */
      head: string | null;
    };
    /** Ed25519 keys that heads are signed with; the private half is sealed. */
    audit_keys: {
      id: string;
      public_key: string;
      private_key: Uint8Array;
      created_on: number;
    };
  }
}
