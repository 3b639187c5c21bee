import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /** The queue of mail, and what was sent lately. */
    mails: {
      seq: Generated<number>;
      id: string;
      /** The account in whose name it is sent. Null if it is about no single account. */
      account_seq: number | null;
      /** The recipient, once known. */
      person_seq: number | null;
      /** Selects the function that composes it. */
      kind: string;
      recipient: string;
      /** The id of what it is about. */
      subject_id: string;
      /** `queued`, `sent`, `failed` or `expired`. */
      state: string;
      attempts: number;
      /** The time of the next attempt, or of the end of a node's lease. */
      due_on: number;
      lease: string | null;
      last_error: string | null;
      created_on: number;
      /** It is not sent from this time on. */
      expires_on: number | null;
      ended_on: number | null;
    };
    /** Sign-ins by mail. */
    sign_ins: {
      seq: Generated<number>;
      id: string;
      /** The site: `console`. */
      audience: string;
      email_key: string;
      /** The network of the client address. */
      address_group: string;
      browser_hash: Uint8Array;
      /** The page of the site on which it was started. Null for the start page. */
      path: string | null;
      /** Null until a mail is sent, and for an unknown address. */
      link_hash: Uint8Array | null;
      code_hash: Uint8Array | null;
      attempts: number;
      used_on: number | null;
      created_on: number;
      expires_on: number;
    };
  }
}
