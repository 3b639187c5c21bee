// Written by `npm run generate` from the OpenAPI document. Do not edit.

/** An error (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  errors?: {
    pointer: string;
    detail: string;
  }[];
  trace: {
    requestId: string;
    timestamp: string;
  };
}

/** What everyone may know of the portal. */
export interface PortalSite {
  title: string;
  description?: string;
  /** Whether `/portal/logo` is an image. */
  hasLogo: boolean;
  links: {
    label: string;
    url: string;
  }[];
  termsUrl?: string;
}

export interface PortalSignIn {
  /** From the fragment of the hand-off's address. */
  code: string;
  /** Ends the session of another customer. */
  replacesSession?: boolean;
}

export interface PortalSession {
  consumer: {
    name: string;
  };
  subject: string;
  scopes: ("keys:read" | "keys:write" | "usage:read" | "requests:read")[];
  /** Whether the business views the portal as the customer. */
  isView: boolean;
  returnUrl?: string;
  expiresOn: string;
}

export interface PortalKeys {
  /** At most 1,000, in the order of creation. */
  data: PortalKey[];
  keyLimit: number;
  /** Whether a key must be deleted before another can be created. */
  isLimitReached: boolean;
}

export interface PortalKey {
  id: string;
  description?: string;
  createdOn: string;
  expiresOn: string | null;
  isEnabled: boolean;
  lastUsedOn: string | null;
  permissions?: string[];
  allowedIps?: string[];
  /** The value once, when it is created; else its last characters. */
  key: string;
}

export interface PortalKeyCreate {
  /** At most 200 characters. */
  description?: string;
  expiresOn?: string | null;
}

export interface PortalKeyUpdate {
  description?: string | null;
  isEnabled?: boolean;
}

export interface PortalKeyRoll {
  /** How long the old key keeps working; 0 ends it at once. */
  graceHours: number;
}

export interface PortalApis {
  data: {
    title: string;
    url: string;
    example?: ExampleRequest;
  }[];
}

/** A request that a key may send as it is. */
export interface ExampleRequest {
  method: string;
  url: string;
  keyHeader: string;
  /** The text before the key in the header. */
  keyPrefix: string;
}

export interface PortalUsage {
  /** Null if the customer has no active subscription. */
  subscription: {
    status: string;
    /** The labels of its plans. */
    plans: string[];
    periodStart: string;
    /** When the quotas reset. */
    periodEnd: string;
  } | null;
  meters: Record<
    string,
    {
      label?: string;
      used: number;
      max: number;
      /** What the period will end at if usage continues as lately. */
      forecast?: number;
      /** By day. */
      points: {
        time: string;
        used: number;
      }[];
    }
  >;
}

export interface PortalRequests {
  data: PortalRequest[];
}

export interface PortalRequest {
  /** The Tollgate id. Clients can choose `x-request-id`, but not this one. */
  id: string;
  time: string;
  requestId: string;
  method: string;
  /** Without the query; at most 1,024 characters. */
  path: string;
  /** 499 if the client disconnected before the response. */
  status: number;
  durationMs: number;
  keyId?: string;
  ip?: string;
  /** The problem code, if the gateway itself rejected the request. */
  code?: string;
  detail?: string;
  /** The policies of the route, in order. */
  decisions: Decision[];
  /** The title of the API. */
  api: string;
}

export interface Decision {
  /** The name of the policy in the project. */
  policy: string;
  type: string;
  ms: number;
  outcome: "passed" | "rejected" | "answered" | "skipped";
  detail?: DecisionDetail;
}

/** Why a policy rejected a request, with the numbers. */
export interface DecisionDetail {
  /** Stable, snake_case. */
  reason: string;
  header?: string;
  maskedKey?: string;
  keyId?: string;
  consumer?: string;
  expiredOn?: string;
  /** The permission that the route requires. */
  permission?: string;
  /** The permissions of the key. */
  permissions?: string[];
  meter?: string;
  /** The amount that the request takes from the meter. */
  amount?: number;
  used?: number;
  limit?: number;
  plans?: string[];
  subscriptionId?: string;
  bucket?: string;
  by?: string;
  windowSeconds?: number;
  /** Present for a rate limit with a sliding window. */
  window?: "sliding";
  resetsOn?: string;
  /** The entry of `deny` that contains the address. */
  network?: string;
  /** The counted amount of each meter. */
  amounts?: Record<string, number>;
  /** Meters without an amount in the response. */
  missing?: string[];
  /** The amounts that were held until the end of the request. */
  held?: Record<string, number>;
  /** The invalid claim of the token. */
  claim?: string;
  errors?: {
    pointer: string;
    detail: string;
  }[];
  message?: string;
  status?: number;
}

/** What each operation takes and returns. */
export interface Operations {
  /** Read what everyone may know of the portal */
  getPortalSite: {
    params: object;
    query: object;
    body: undefined;
    response: PortalSite;
  };
  /** Exchange the code of a hand-off for a session */
  signInToPortal: {
    params: object;
    query: object;
    body: PortalSignIn;
    response: PortalSession;
  };
  /** Read the session */
  getPortalSession: {
    params: object;
    query: object;
    body: undefined;
    response: PortalSession;
  };
  /** Sign out */
  signOutOfPortal: {
    params: object;
    query: object;
    body: undefined;
    response: undefined;
  };
  /** List the customer's keys */
  listPortalKeys: {
    params: object;
    query: object;
    body: undefined;
    response: PortalKeys;
  };
  /** Create a key */
  createPortalKey: {
    params: object;
    query: object;
    body: PortalKeyCreate;
    response: PortalKey;
  };
  /** Name a key, or disable or enable it */
  updatePortalKey: {
    params: {
      keyId: string;
    };
    query: object;
    body: PortalKeyUpdate;
    response: PortalKey;
  };
  /** Delete a key */
  deletePortalKey: {
    params: {
      keyId: string;
    };
    query: object;
    body: undefined;
    response: undefined;
  };
  /** Replace a key */
  rollPortalKey: {
    params: {
      keyId: string;
    };
    query: object;
    body: PortalKeyRoll;
    response: PortalKey;
  };
  /** List the APIs of the portal */
  listPortalApis: {
    params: object;
    query: object;
    body: undefined;
    response: PortalApis;
  };
  /** Read the customer's usage by meter and day */
  getPortalUsage: {
    params: object;
    query: object;
    body: undefined;
    response: PortalUsage;
  };
  /** List the customer's requests, and why they failed */
  listPortalRequests: {
    params: object;
    query: {
      /** `failed`: only requests with a status of 400 or more. */
      outcome?: "failed";
      /** Only requests before the one with this id: the last of the page before. */
      before?: string;
      /** How many of the newest requests to return. */
      limit?: number;
    };
    body: undefined;
    response: PortalRequests;
  };
}

/** Where each operation is found. */
export const routes: Record<keyof Operations, string> = {
  getPortalSite: "GET /portal/api/site",
  signInToPortal: "POST /portal/api/session",
  getPortalSession: "GET /portal/api/session",
  signOutOfPortal: "DELETE /portal/api/session",
  listPortalKeys: "GET /portal/api/keys",
  createPortalKey: "POST /portal/api/keys",
  updatePortalKey: "PATCH /portal/api/keys/{keyId}",
  deletePortalKey: "DELETE /portal/api/keys/{keyId}",
  rollPortalKey: "POST /portal/api/keys/{keyId}/$roll",
  listPortalApis: "GET /portal/api/apis",
  getPortalUsage: "GET /portal/api/usage",
  listPortalRequests: "GET /portal/api/requests",
};
