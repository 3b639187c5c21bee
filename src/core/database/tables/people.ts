import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /** People, in any number of accounts. */
    people: {
      seq: Generated<number>;
      id: string;
      /** For display. */
      email: string;
      /** The address in lower case, for sign-in by mail. Null if the identity provider has not verified it. */
      email_key: string | null;
      /** The identity at the identity provider: its issuer and `sub`. */
      issuer: string | null;
      subject: string | null;
      signed_in_on: number | null;
      created_on: number;
      updated_on: number;
    };
    members: {
      seq: Generated<number>;
      account_seq: number;
      person_seq: number;
      name: string | null;
      role: string;
      /** JSON, if the role is limited to projects. */
      projects: string | null;
      /** `invited` or `active`. */
      state: string;
      /** Where the role comes from: `invitation` or `claim`. */
      source: string;
      invitation_hash: Uint8Array | null;
      /** The id of the member until the person accepts, if the person was known before. It must not reveal that. */
      invited_id: string | null;
      /** The address as it was written in the invitation. */
      invited_email: string | null;
      /** The name of the person or the token that sent the invitation. */
      invited_by: string | null;
      /** The end of the invitation. */
      expires_on: number | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    removed_members: {
      account_seq: number;
      person_seq: number;
      removed_on: number;
    };
  }
}
