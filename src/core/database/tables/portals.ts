import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    portals: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      bucket_seq: number;
      /** The name in the portal's host. */
      name: string;
      /** A custom domain instead of that host. */
      host: string | null;
      is_enabled: number;
      /** JSON: the fields that no query selects by. */
      settings: string;
      logo: Uint8Array | null;
      logo_type: string | null;
      /** Of the identity provider in the settings, encrypted. */
      client_secret: Uint8Array | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** Codes that open a session once. */
    portal_handoffs: {
      seq: Generated<number>;
      hash: Uint8Array;
      portal_seq: number;
      consumer_seq: number;
      subject: string;
      /** Separated by spaces. */
      scopes: string;
      return_url: string | null;
      /** JSON: the actor who views the portal as the customer. Null for the customer's own people. */
      viewer: string | null;
      expires_on: number;
    };
    portal_sessions: {
      seq: Generated<number>;
      id: string;
      hash: Uint8Array;
      portal_seq: number;
      consumer_seq: number;
      subject: string;
      scopes: string;
      return_url: string | null;
      viewer: string | null;
      created_on: number;
      expires_on: number;
      /** The manager who signed in, whose scopes the session has. Null for hand-offs. */
      manager_seq: number | null;
      /** The address that was proven. Null for hand-offs, and if the identity provider has verified none. */
      mailbox: string | null;
      /** The identity provider that the manager signed in with. */
      issuer: string | null;
    };
    /** People who have proven who they are, and have not used that yet: to choose a customer, or to sign up. */
    portal_proofs: {
      seq: Generated<number>;
      hash: Uint8Array;
      portal_seq: number;
      /** In lower case. Empty if the identity provider has verified none. */
      mailbox: string;
      issuer: string | null;
      subject: string | null;
      expires_on: number;
    };
    /** Customers who created their account themselves. */
    portal_sign_ups: {
      seq: Generated<number>;
      portal_seq: number;
      consumer_seq: number;
      email: string;
      created_on: number;
      /** Whether the person had an account before: then there is no trial. */
      is_returning: Generated<number>;
    };
    portal_former_customers: {
      seq: Generated<number>;
      /** Of the portal's id and the mailbox. */
      hash: Uint8Array;
      left_on: number;
      expires_on: number;
    };
    /** Of each customer, the newest key that they deleted in a portal. */
    portal_deleted_keys: {
      consumer_seq: number;
      key_id: string;
      key_created_on: number;
      /** JSON. */
      rules: string;
    };
    /** Not deleted with the customer: the limit of a mailbox counts the mail of all customers. */
    portal_invite_mails: {
      seq: Generated<number>;
      portal_id: string;
      consumer_seq: number;
      /** In lower case. */
      mailbox: string;
      created_on: number;
      expires_on: number;
    };
    portal_access_requests: {
      seq: Generated<number>;
      id: string;
      portal_seq: number;
      /** In lower case. A person has one request. */
      mailbox: string;
      label: string | null;
      note: string | null;
      /** `pending`, `approved` or `denied`. */
      state: string;
      consumer_name: string | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
  }
}
