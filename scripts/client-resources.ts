/**
 * The classes of the client that `npm run generate` writes. An operation belongs to the class that names it in
 * `methods`, otherwise to the first class with the longest path above it.
 */

export interface Resource {
  /** The class: `Views` is `client.views`. */
  name: string;
  /** The member of the client, if it is not the name. */
  member?: string;
  about: string;
  /** The path of the list. Its parameters are those of the class, except the account. */
  path: string;
  /** What is removed from an operation's id to get the name of the method: `createView` is `create`. */
  noun: string;
  /** By the operation's id: methods whose name or form does not follow from the operation. */
  methods?: Record<string, string | Method>;
  /** The file of the class that extends this one with methods of several calls. */
  extendedIn?: string;
}

/** How a method differs from its operation. */
export interface Method {
  name?: string;
  /** The name of the interface of its options. Methods with the same options may share one. */
  options?: string;
  /** Returns the array `data` of the response. */
  returnsData?: true;
  /** Fields of the body that are parameters of the method. */
  arguments?: string[];
  /** The other fields of the body are options of the method. */
  hasFieldOptions?: true;
  /** Names of options whose query parameters have other names. */
  query?: Record<string, string>;
  /** The method that returns the same as CSV. */
  csv?: string;
  /** The method that returns the same as HTML. */
  html?: string;
  /** Accepts an Idempotency-Key, but repeating it is harmless without one. */
  isRepeatable?: true;
}

/** Operations that no generated method calls: hand-written code does, or no client needs them. */
export const otherOperations = [
  ...["whoAmI", "exchangeToken", "getSystemStatus", "getRetention", "getJob", "search", "getOverview", "listPortals"],
  ...["verifyKey"],
  ...[
    "requestSourceUpload",
    "uploadSource",
    "downloadVersionSource",
    "recordUsage",
    "voidEvent",
    "rollKey",
    "verifyAuditLog",
  ],
  ...["listRequests", "listDeploymentRequests", "getRequest"],
  ...["receiveStripeEvent", "openCheckout", "submitCheckout"],
];

const account = "/v1/accounts/{accountName}";
const keyBucket = `${account}/key-buckets/{bucketName}`;
const consumer = `${keyBucket}/consumers/{consumerName}`;
const metering = "/v1/metering/{bucketId}";

export const resources: Resource[] = [
  {
    name: "Accounts",
    about: "The accounts of an installation. For the operator.",
    path: "/v1/accounts",
    noun: "Account",
  },
  {
    name: "Tokens",
    about: "The credentials of the management API. For admins.",
    path: `${account}/tokens`,
    noun: "Token",
  },
  {
    name: "Exports",
    about: "Copies of usage events, requests, invoices and the audit log in object storage, by hour. For admins.",
    path: `${account}/exports`,
    noun: "Export",
  },
  {
    name: "TrustedIssuers",
    about: "Identity providers, such as CI services, whose tokens are exchanged for tokens of the account. For admins.",
    path: `${account}/trusted-issuers`,
    noun: "TrustedIssuer",
  },
  {
    name: "Sessions",
    about: "Signed-in browsers. For pages of the server itself; programs send the token.",
    path: "/v1/sessions",
    noun: "Session",
    methods: {
      createSession: { isRepeatable: true },
      getSignInMethods: "methods",
      startSignIn: "sendMail",
      signInWithCode: "createWithCode",
      signInWithLink: "createWithLink",
      showInvitation: { name: "invitation", arguments: ["invitation"] },
      acceptInvitation: { name: "accept", arguments: ["invitation"] },
      listInvitations: "invitations",
      acceptOwnInvitation: "join",
      declineInvitation: "decline",
      listAccountSessions: "listOfAccount",
      deleteAccountSession: "deleteOfAccount",
    },
  },
  {
    name: "Members",
    about: "The people of an account. For admins.",
    path: `${account}/members`,
    noun: "Member",
    methods: { listMails: "mails" },
  },
  {
    name: "Buckets",
    about: "Key buckets: containers for consumers and their keys.",
    path: `${account}/key-buckets`,
    noun: "KeyBucket",
    methods: { deleteKeyBucket: { options: "DeleteBucketOptions" } },
  },
  {
    name: "BucketKeys",
    about: "The keys of all consumers of a bucket.",
    path: `${keyBucket}/keys`,
    noun: "Key",
    methods: { listBucketKeys: { name: "list", options: "ListBucketKeysOptions" } },
  },
  {
    name: "Consumers",
    about: "The consumers of one key bucket: named holders of API keys.",
    path: `${keyBucket}/consumers`,
    noun: "Consumer",
    methods: {
      listConsumers: { query: { q: "namePrefix" } },
      createConsumer: { options: "CreateConsumerOptions" },
      getConsumer: { options: "GetConsumerOptions" },
      updateConsumers: "updateMany",
      deleteConsumers: "deleteMany",
    },
  },
  {
    name: "Keys",
    about: "The API keys of one consumer.",
    path: `${consumer}/keys`,
    noun: "Key",
    methods: {
      getKey: { options: "GetKeyOptions" },
      createKeys: { name: "createMany", returnsData: true },
    },
    extendedIn: "keys.ts",
  },
  {
    name: "Managers",
    about: "The people who manage the keys of one consumer.",
    path: `${consumer}/managers`,
    noun: "Manager",
  },
  {
    name: "ManagerInvites",
    about: "Invitations of email addresses to become managers of one consumer.",
    path: `${consumer}/manager-invites`,
    noun: "ManagerInvite",
    methods: { inviteManager: "create" },
  },
  {
    name: "PortalResource",
    member: "portal",
    about: "The portal of a key bucket: the site where its customers manage their keys and see their usage.",
    path: `${keyBucket}/portal`,
    noun: "Portal",
    methods: {
      createPortalSession: "handOff",
      viewPortal: { name: "view", arguments: ["consumerName"] },
      previewPortal: "preview",
      getPortalFunnel: { name: "funnel", options: "PortalFunnelOptions" },
      listAccessRequests: { name: "accessRequests", options: "ListAccessRequestsOptions" },
      createAccessRequest: "requestAccess",
      approveAccessRequest: "approve",
      denyAccessRequest: "deny",
      listOAuthClients: "oauthClients",
      createOAuthClient: "createOAuthClient",
      getOAuthClient: "oauthClient",
      updateOAuthClient: "updateOAuthClient",
      deleteOAuthClient: "deleteOAuthClient",
      listAuthorizations: { name: "authorizations", options: "ListAuthorizationsOptions" },
      getAuthorization: "authorization",
      endAuthorization: "endAuthorization",
      rotateOAuthKey: "rotateOAuthKey",
    },
  },
  {
    name: "Metering",
    about: "Metering buckets: containers for plans, subscriptions and usage.",
    path: "/v1/metering",
    noun: "MeteringBucket",
    methods: {
      deleteMeteringBucket: { options: "DeleteBucketOptions" },
      settleHold: { arguments: ["meters"] },
      releaseHold: "releaseHold",
      listUsage: { name: "usage", csv: "usageCsv", options: "ListUsageOptions" },
      moveClock: { arguments: ["now"] },
      listTestMails: "testMails",
      reconcileUsage: { name: "reconcile", options: "ReconcileOptions" },
    },
  },
  {
    name: "Plans",
    about: "The plans of one metering bucket: the limits of subscribers.",
    path: `${metering}/plans`,
    noun: "Plan",
  },
  {
    name: "Subscriptions",
    about: "The subscriptions of one metering bucket: customers and their plans.",
    path: `${metering}/subscriptions`,
    noun: "Subscription",
    methods: {
      previewPlanChange: "preview",
      changeSubscriptionPlans: "change",
      previewSubscriptionChange: "previewChange",
      getUpcomingInvoice: "upcomingInvoice",
    },
  },
  {
    name: "SubscriptionUsage",
    member: "usage",
    about: "The usage of one subscription.",
    path: `${metering}/subscriptions/{subscriptionId}/usage`,
    noun: "Usage",
    methods: {
      getUsage: { options: "GetUsageOptions" },
      getUsageHistory: { name: "history", returnsData: true, options: "UsageHistoryOptions" },
      getUsageSeries: { name: "series", csv: "seriesCsv", options: "UsageSeriesOptions" },
      consumeQuota: { name: "consume", arguments: ["meters"] },
    },
  },
  {
    name: "Customers",
    about: "The customers of one metering bucket: who pays for its subscriptions.",
    path: `${metering}/customers`,
    noun: "Customer",
    methods: {
      setPaymentMethod: "setPaymentMethod",
      deletePaymentMethod: "deletePaymentMethod",
      openPaymentPortal: { name: "paymentPortal", arguments: ["returnUrl"] },
    },
  },
  {
    name: "Grants",
    about: "The grants of one customer: credits in units of a meter, or money.",
    path: `${metering}/customers/{customerKey}/grants`,
    noun: "Grant",
    methods: {
      listGrants: { csv: "listCsv" },
      listGrantEntries: { csv: "entriesCsv" },
      listCreditEntries: { name: "history", csv: "historyCsv", options: "CreditHistoryOptions" },
    },
  },
  {
    name: "CreditPacks",
    about: "The credit packs of one metering bucket: credit that customers buy.",
    path: `${metering}/credit-packs`,
    noun: "CreditPack",
  },
  {
    name: "PackPurchases",
    about: "The purchases of credit packs of one customer.",
    path: `${metering}/customers/{customerKey}/packs`,
    noun: "PackPurchase",
    methods: { purchasePack: "purchase", refundPack: "refund" },
  },
  {
    name: "Simulations",
    about: "The simulations of one metering bucket: what customers would have been billed with other plans.",
    path: `${metering}/simulations`,
    noun: "Simulation",
    methods: { simulatePlans: "start", listSimulatedCustomers: { name: "customers", csv: "customersCsv" } },
  },
  {
    name: "Invoices",
    about: "The invoices and credit notes of one metering bucket.",
    path: `${metering}/invoices`,
    noun: "Invoice",
    methods: {
      listInvoices: { csv: "listCsv" },
      getInvoice: { html: "html", csv: "csv" },
      getRevenue: { name: "revenue", options: "RevenueOptions" },
      getRecurringRevenue: { name: "recurringRevenue", csv: "recurringRevenueCsv", options: "RecurringRevenueOptions" },
      listPayments: { name: "payments", csv: "paymentsCsv", options: "ListPaymentsOptions" },
    },
  },
  {
    name: "Billing",
    about: "The account as a seller: its billing profile and its payment providers.",
    path: `${account}/billing-profile`,
    noun: "Billing",
    methods: {
      getBillingProfile: "profile",
      getPaymentProvider: "provider",
      setPaymentProvider: {
        name: "setProvider",
        arguments: ["type"],
        hasFieldOptions: true,
        options: "SetProviderOptions",
      },
      comparePayments: { name: "compare", options: "ComparePaymentsOptions" },
    },
  },
  {
    name: "Deployments",
    about: "Deployed gateway projects. `client.deploy()` creates them.",
    path: "/v1/deployments",
    noun: "Deployment",
    methods: {
      listDeployments: { name: "list", returnsData: true },
      listAccountDeployments: {
        name: "listAll",
        query: { projectName: "project", branchName: "branch" },
        options: "ListDeploymentsOptions",
      },
      redeploy: "redeploy",
      promoteDeployment: { arguments: ["from"] },
      compareDeployments: { name: "changes", options: "DeploymentChangesOptions" },
      getDeploymentStatus: "status",
      listDeployedRoutes: { name: "routes", options: "DeployedRoutesOptions" },
      listDeployedUpstreams: "upstreams",
      getDeploymentVersion: "version",
      rollBackDeployment: { hasFieldOptions: true, options: "RollBackOptions" },
      readDeploymentLog: { name: "logs", returnsData: true, options: "LogOptions" },
    },
    extendedIn: "deployments.ts",
  },
  {
    name: "TrafficResource",
    member: "traffic",
    about: "Canary releases: a second version of a deployment that serves a share of the requests.",
    path: "/v1/deployments",
    noun: "Traffic",
    methods: {
      getTraffic: "get",
      splitTraffic: "split",
      stopCanary: "stop",
      promoteCanary: "promote",
      testVersion: { name: "test", arguments: ["versionNumber"] },
    },
  },
  {
    name: "Domains",
    about: "Custom domains: your own hosts, served by deployments.",
    path: `${account}/domains`,
    noun: "Domain",
  },
  {
    name: "Variables",
    about: "The variables of a gateway project.",
    path: `${account}/projects/{projectName}/variables`,
    noun: "Variable",
  },
  {
    name: "AuditLog",
    about: "The audit log: every change with its actor and time.",
    path: `${account}/audit-log`,
    noun: "AuditLog",
    methods: { listAuditLog: { name: "list", returnsData: true, csv: "csv", options: "AuditPageOptions" } },
    extendedIn: "audit-log.ts",
  },
  {
    name: "AccountAnalytics",
    member: "analytics",
    about: "Counts of all requests to the deployments of the account, and of all calls of verify-key.",
    path: `${account}/analytics`,
    noun: "AccountAnalytics",
    methods: {
      getAccountAnalytics: { name: "get", options: "AnalyticsOptions" },
      getDeploymentAnalytics: { name: "ofDeployment", options: "AnalyticsOptions" },
      getModelAnalytics: { name: "models", options: "ModelOptions" },
      getVerificationAnalytics: {
        name: "verifications",
        csv: "verificationsCsv",
        options: "VerificationOptions",
      },
    },
    extendedIn: "analytics.ts",
  },
  {
    name: "Webhooks",
    about: "Webhooks: URLs that receive events.",
    path: `${account}/webhooks`,
    noun: "Webhook",
    methods: {
      rotateWebhookSecret: { hasFieldOptions: true, options: "RotateSecretOptions" },
      listWebhookDeliveries: { returnsData: true, options: "DeliveryOptions" },
      getWebhookDelivery: "delivery",
      retryWebhookDelivery: "retry",
    },
  },
  {
    name: "ConfigurationResource",
    member: "configuration",
    about: "The buckets, plans, webhooks, domains and variables of an account as one document.",
    path: `${account}/configuration`,
    noun: "Configuration",
    methods: {
      getConfigurationPlan: "getPlan",
      applyConfiguration: { arguments: ["planId"] },
    },
  },
  {
    name: "Views",
    about: "The saved views of an account: named filters of the console's lists.",
    path: `${account}/views`,
    noun: "View",
  },
];
