/** What the OpenAPI documents say of the two APIs as a whole. */
export const managementDocument = {
  title: "Tollgate",
  description:
    "API keys, consumers, metering and gateway deployments. Errors are `application/problem+json`; lists are paged.",
  security: {
    name: "token",
    scheme: {
      type: "http",
      scheme: "bearer",
      description: "A Tollgate token; the first one is in the file `admin-token` of the data directory.",
    },
  },
};

export const portalDocument = {
  title: "Tollgate portal",
  description:
    "What the pages of a portal call at the portal's own host, for the customer of their session. Errors are `application/problem+json`.",
  security: {
    name: "session",
    scheme: {
      type: "apiKey",
      in: "cookie",
      name: "__Host-tollgate-portal",
      description:
        "The cookie of a session, which a hand-off opens. Requests that change something need the portal's own `Origin`.",
    },
  },
};

/** The sections of the reference of the management API. */
export const sectionOrder = [
  "Consumers",
  "Keys",
  "Jobs",
  "Managers",
  "Key buckets",
  "Metering",
  "Usage",
  "Billing",
  "Deployments",
  "Domains",
  "Portal",
  "OAuth",
  "Variables",
  "Search",
  "Requests",
  "Audit log",
  "Analytics",
  "Overview",
  "Webhooks",
  "Configuration",
  "Views",
  "Accounts",
  "Exports",
  "Trusted issuers",
  "People",
  "Sessions",
  "Sign-in",
  "System",
];
