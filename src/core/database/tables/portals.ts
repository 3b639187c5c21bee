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
    };
  }
}
