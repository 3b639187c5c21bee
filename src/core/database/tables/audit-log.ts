export {};

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /** The sealed part of the audit log; what is not sealed yet is in `changes`. */
    audit_entries: {
      account_seq: number;
      id: string;
      /** From 1, in the order of the account's chain. */
      number: number;
      time: number;
      action: string;
      /** Ids of who did it, of the resource, and of what that belongs to. */
      actor: string;
      resource_type: string;
      resource: string;
      parent: string | null;
      /** All of it, in canonical JSON: what the hash is over. */
      entry: string;
      hash: string;
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
      /** Time of the oldest entry that is left. */
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
