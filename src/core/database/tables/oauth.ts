import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    /** The RSA keys that sign the access tokens of a portal. */
    oauth_keys: {
      seq: Generated<number>;
      /** The `kid` of its tokens. */
      id: string;
      portal_seq: number;
      /** A JWK. */
      public_key: string;
      /** PEM, encrypted. */
      private_key: Uint8Array;
      created_on: number;
      /** It is published before it signs, so that verifiers which cache the keys know it. */
      signs_from: number;
      /** Until when it verifies. Null until a successor exists. */
      expires_on: number | null;
    };
    oauth_clients: {
      seq: Generated<number>;
      /** The `client_id`, unless the client has a document. */
      id: string;
      portal_seq: number;
      /** The customer who created it. Null for clients of the operator, of documents and of registrations. */
      consumer_seq: number | null;
      /** `registered`, `service`, `document` or `dynamic`. */
      type: string;
      /** The `client_id` of a client with a metadata document. */
      document_url: string | null;
      name: string;
      /** JSON. */
      redirect_uris: string;
      secret_hash: Uint8Array | null;
      /**
       * The network that a dynamic client was registered from, or the id of the first customer who authorized one with a document:
       * their number is limited by it.
       */
      registered_from: string | null;
      version: number;
      created_on: number;
      updated_on: number;
      /** Of a dynamic client that no customer has authorized yet. */
      expires_on: number | null;
    };
    /** What a client may do for a consumer. A row that is deleted has ended. */
    oauth_authorizations: {
      seq: Generated<number>;
      id: string;
      portal_seq: number;
      consumer_seq: number;
      /** The manager who consented. Null for the person of a hand-off. */
      manager_seq: number | null;
      client_seq: number;
      /** Who consented, for lists. */
      subject: string;
      /** JSON: the permissions that were consented to. */
      granted: string;
      /** JSON: the permissions, addresses, rate limit and metadata that apply, those of a new key at the last token. */
      rules: string;
      /** The deployment of its tokens. Null for a service client, which may choose one for each token. */
      deployment: string | null;
      /** JSON: who consented, and from where, until the code is exchanged. Null afterwards, and without a code. */
      consent: string | null;
      code_hash: Uint8Array | null;
      code_challenge: string | null;
      redirect_uri: string | null;
      code_expires_on: number | null;
      code_used_on: number | null;
      /** Encrypted. Refresh tokens are its MACs of their numbers, so that every old one is recognized. */
      refresh_secret: Uint8Array | null;
      /** The number of the refresh token that is valid. */
      refresh_number: number;
      /** When it was issued. */
      refreshed_on: number | null;
      created_on: number;
      /** Until its code was exchanged, the expiry of that. Null for service clients. */
      expires_on: number | null;
    };
  }
}
