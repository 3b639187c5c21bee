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
      /** The client secret of the portal's identity provider, sealed. */
      oidc_secret: Uint8Array | null;
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
      /** The address that was proven, if sign-in was by mail. */
      mailbox: string | null;
    };
    /** Identities that a browser has proven, and has not used yet: to choose a customer, or to sign up. */
    portal_proofs: {
      seq: Generated<number>;
      hash: Uint8Array;
      portal_seq: number;
      /** In lower case. */
      mailbox: string | null;
      /** The person at the portal's identity provider. */
      sub: string | null;
      expires_on: number;
    };
    /** Customers who created their account themselves. */
    portal_sign_ups: {
      seq: Generated<number>;
      portal_seq: number;
      consumer_seq: number;
      email: string | null;
      /** The name that the customer gave. */
      label: string | null;
      created_on: number;
    };
    portal_access_requests: {
      seq: Generated<number>;
      id: string;
      portal_seq: number;
      /** The mailbox or the `sub`, so that a person has one request. */
      identity: string;
      mailbox: string | null;
      sub: string | null;
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
