// Written by `npm run generate`: the commands of the CLI by the operation that they send. Do not edit.
/** What becomes of a value: a list is repeated, and a flag or a cleared field stands for one value. */
type How = "list" | "lowerCase" | "pairs" | "json" | { is: unknown } | { joined: string };

/**
 * The word before a value, and its place. Arguments have no word; "?" is for one that is optional. "-" is for what the command always sends, "~" for
 * what it finds by another value.
 */
export type Taken = [word: string, at: string, how?: How];

interface CommandEntry {
  words: string;
  takes: Taken[];
}

export const commands: Record<string, CommandEntry[]> = {
  "DELETE /v1/accounts/{accountName}/domains/{domainId}": [{ words: "domains delete", takes: [["", "{domainId}"]] }],
  "DELETE /v1/accounts/{accountName}/exports/{exportName}": [
    { words: "exports delete", takes: [["", "{exportName}"]] },
  ],
  "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}": [
    {
      words: "buckets delete",
      takes: [
        ["", "{bucketName}"],
        ["--force", "?force", { is: "true" }],
      ],
    },
  ],
  "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}": [
    {
      words: "consumers delete",
      takes: [
        ["", "{consumerName}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
      ],
    },
  ],
  "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/keys/{keyId}": [
    {
      words: "keys delete",
      takes: [
        ["", "{consumerName}"],
        ["", "{keyId}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
      ],
    },
  ],
  "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/manager-invites/{inviteId}": [
    {
      words: "managers delete-invite",
      takes: [
        ["", "{consumerName}"],
        ["", "{inviteId}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
      ],
    },
  ],
  "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/managers/{managerId}": [
    {
      words: "managers delete",
      takes: [
        ["", "{consumerName}"],
        ["", "{managerId}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
      ],
    },
  ],
  "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/portal": [
    { words: "portal delete", takes: [["--bucket", "{bucketName}"]] },
  ],
  "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/authorizations/{authorizationId}": [
    {
      words: "authorizations delete",
      takes: [
        ["", "{authorizationId}"],
        ["--bucket", "{bucketName}"],
      ],
    },
  ],
  "DELETE /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/oauth-clients/{oauthClientId}": [
    {
      words: "clients delete",
      takes: [
        ["", "{oauthClientId}"],
        ["--bucket", "{bucketName}"],
      ],
    },
  ],
  "DELETE /v1/accounts/{accountName}/members/{memberId}": [{ words: "members delete", takes: [["", "{memberId}"]] }],
  "DELETE /v1/accounts/{accountName}/projects/{projectName}/variables/{variableName}": [
    {
      words: "variables delete",
      takes: [
        ["", "{variableName}"],
        ["--project", "{projectName}"],
      ],
    },
  ],
  "DELETE /v1/accounts/{accountName}/sessions/{sessionId}": [
    { words: "sessions delete", takes: [["", "{sessionId}"]] },
  ],
  "DELETE /v1/accounts/{accountName}/tokens/{tokenId}": [{ words: "tokens delete", takes: [["", "{tokenId}"]] }],
  "DELETE /v1/accounts/{accountName}/trusted-issuers/{trustedIssuerId}": [
    { words: "issuers delete", takes: [["", "{trustedIssuerId}"]] },
  ],
  "DELETE /v1/accounts/{accountName}/webhooks/{webhookId}": [
    { words: "webhooks delete", takes: [["", "{webhookId}"]] },
  ],
  "DELETE /v1/deployments/{deploymentName}": [{ words: "deployments delete", takes: [["", "{deploymentName}"]] }],
  "DELETE /v1/deployments/{deploymentName}/traffic": [{ words: "traffic stop", takes: [["", "{deploymentName}"]] }],
  "DELETE /v1/metering/{bucketId}": [
    {
      words: "metering delete",
      takes: [
        ["", "{bucketId}"],
        ["--force", "?force", { is: "true" }],
      ],
    },
  ],
  "DELETE /v1/metering/{bucketId}/credit-packs/{packId}": [
    {
      words: "credits delete",
      takes: [
        ["", "{packId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "DELETE /v1/metering/{bucketId}/customers/{customerKey}/payment-method": [
    {
      words: "customers delete-payment-method",
      takes: [
        ["", "{customerKey}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "DELETE /v1/metering/{bucketId}/plans/{planId}": [
    {
      words: "plans delete",
      takes: [
        ["", "{planId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "DELETE /v1/metering/{bucketId}/subscriptions/{subscriptionId}": [
    {
      words: "subscriptions delete",
      takes: [
        ["", "{subscriptionId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "GET /v1/accounts": [{ words: "accounts list", takes: [] }],
  "GET /v1/accounts/{accountName}/analytics": [
    {
      words: "analytics",
      takes: [
        ["--by", "?by"],
        ["--from", "?from"],
        ["--to", "?to"],
        ["--step", "?step"],
        ["--route", "?route"],
        ["--status", "?status"],
        ["--consumer", "?consumer"],
        ["--consumer-id", "?consumerId"],
        ["--policy", "?policy"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/analytics/models": [
    {
      words: "models",
      takes: [
        ["--by", "?by"],
        ["--from", "?from"],
        ["--to", "?to"],
        ["--step", "?step"],
        ["--model", "?model"],
        ["--provider", "?provider"],
        ["--consumer", "?consumer"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/analytics/verifications": [
    {
      words: "verifications",
      takes: [
        ["--by", "?by"],
        ["--from", "?from"],
        ["--to", "?to"],
        ["--step", "?step"],
        ["--bucket", "?bucket"],
        ["--consumer", "?consumer"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/audit-log": [
    {
      words: "audit list",
      takes: [
        ["--action", "?action"],
        ["--actor", "?actor"],
        ["--actor-type", "?actorType"],
        ["--resource", "?resource"],
        ["--from", "?from"],
        ["--to", "?to"],
        ["--before", "?before"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/billing-profile": [{ words: "billing show", takes: [] }],
  "GET /v1/accounts/{accountName}/domains": [{ words: "domains list", takes: [] }],
  "GET /v1/accounts/{accountName}/domains/{domainId}": [{ words: "domains show", takes: [["", "{domainId}"]] }],
  "GET /v1/accounts/{accountName}/exports": [{ words: "exports list", takes: [] }],
  "GET /v1/accounts/{accountName}/exports/{exportName}": [{ words: "exports show", takes: [["", "{exportName}"]] }],
  "GET /v1/accounts/{accountName}/jobs/{jobId}": [{ words: "jobs show", takes: [["", "{jobId}"]] }],
  "GET /v1/accounts/{accountName}/key-buckets": [{ words: "buckets list", takes: [] }],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}": [{ words: "buckets show", takes: [["", "{bucketName}"]] }],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers": [
    {
      words: "consumers list",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--tag", "?tag.*", "pairs"],
        ["--name", "?q"],
        ["--manager-email", "?manager-email"],
        ["--sort", "?sort"],
        ["--keys", "?include-api-keys", { is: "true" }],
        ["--managers", "?include-managers", { is: "true" }],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}": [
    {
      words: "consumers show",
      takes: [
        ["", "{consumerName}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
        ["--key-format", "?key-format"],
        ["--plain", "?include-api-keys", { is: "false" }],
        ["--plain", "?include-managers", { is: "false" }],
        ["--plain", "?include-manager-invites", { is: "false" }],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/keys": [
    {
      words: "keys list",
      takes: [
        ["?", "{consumerName}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
        ["--key-format", "?key-format"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/keys/{keyId}": [
    {
      words: "keys show",
      takes: [
        ["", "{consumerName}"],
        ["", "{keyId}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
        ["--key-format", "?key-format"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/manager-invites": [
    {
      words: "managers invites",
      takes: [
        ["", "{consumerName}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/managers": [
    {
      words: "managers list",
      takes: [
        ["", "{consumerName}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/keys": [
    {
      words: "keys list",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--unused-since", "?unused-since"],
        ["--never-used", "?never-used"],
        ["--expires-before", "?expires-before"],
        ["--created-before", "?created-before"],
        ["--enabled", "?enabled"],
        ["--permission", "?permission"],
        ["--suffix", "?suffix"],
        ["--tag", "?tag.*", "pairs"],
      ],
    },
    {
      words: "keys find",
      takes: [
        ["", "?suffix"],
        ["--bucket", "{bucketName}"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal": [
    { words: "portal show", takes: [["--bucket", "{bucketName}"]] },
  ],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/access-requests": [
    {
      words: "portal requests",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--state", "?state"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/authorizations": [
    {
      words: "authorizations list",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--consumer", "?consumerName"],
        ["--client", "?clientId"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/authorizations/{authorizationId}": [
    {
      words: "authorizations show",
      takes: [
        ["", "{authorizationId}"],
        ["--bucket", "{bucketName}"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/funnel": [
    {
      words: "portal funnel",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--stage", "?stage"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/oauth-clients": [
    { words: "clients list", takes: [["--bucket", "{bucketName}"]] },
  ],
  "GET /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/oauth-clients/{oauthClientId}": [
    {
      words: "clients show",
      takes: [
        ["", "{oauthClientId}"],
        ["--bucket", "{bucketName}"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/members": [{ words: "members list", takes: [] }],
  "GET /v1/accounts/{accountName}/members/{memberId}": [{ words: "members show", takes: [["", "{memberId}"]] }],
  "GET /v1/accounts/{accountName}/payment-provider/{mode}": [
    { words: "billing provider", takes: [["--mode", "{mode}"]] },
  ],
  "GET /v1/accounts/{accountName}/payment-provider/{mode}/comparison": [
    {
      words: "billing compare",
      takes: [
        ["--mode", "{mode}"],
        ["--since", "?since"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/portals": [{ words: "portal list", takes: [] }],
  "GET /v1/accounts/{accountName}/projects/{projectName}/variables": [
    { words: "variables list", takes: [["--project", "{projectName}"]] },
  ],
  "GET /v1/accounts/{accountName}/requests": [
    {
      words: "requests list",
      takes: [
        ["--status", "?status"],
        ["--method", "?method"],
        ["--route", "?route"],
        ["--consumer", "?consumer"],
        ["--consumer-id", "?consumerId"],
        ["--request-id", "?requestId"],
        ["--path", "?q"],
        ["--observed", "?observed", { is: "true" }],
        ["--policy", "?observed"],
        ["--from", "?from"],
        ["--to", "?to"],
        ["--before", "?before"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/requests/{requestId}": [
    { words: "requests show", takes: [["", "{requestId}"]] },
    { words: "explain", takes: [["", "{requestId}"]] },
  ],
  "GET /v1/accounts/{accountName}/search": [{ words: "search", takes: [["", "?q"]] }],
  "GET /v1/accounts/{accountName}/sessions": [{ words: "sessions list", takes: [] }],
  "GET /v1/accounts/{accountName}/tokens": [{ words: "tokens list", takes: [] }],
  "GET /v1/accounts/{accountName}/tokens/{tokenId}": [{ words: "tokens show", takes: [["", "{tokenId}"]] }],
  "GET /v1/accounts/{accountName}/trusted-issuers": [{ words: "issuers list", takes: [] }],
  "GET /v1/accounts/{accountName}/trusted-issuers/{trustedIssuerId}": [
    { words: "issuers show", takes: [["", "{trustedIssuerId}"]] },
  ],
  "GET /v1/accounts/{accountName}/webhooks": [{ words: "webhooks list", takes: [] }],
  "GET /v1/accounts/{accountName}/webhooks/{webhookId}": [{ words: "webhooks show", takes: [["", "{webhookId}"]] }],
  "GET /v1/accounts/{accountName}/webhooks/{webhookId}/deliveries": [
    {
      words: "webhooks deliveries",
      takes: [
        ["", "{webhookId}"],
        ["--status", "?status"],
        ["--type", "?type"],
        ["--before", "?before"],
      ],
    },
  ],
  "GET /v1/accounts/{accountName}/webhooks/{webhookId}/deliveries/{deliveryId}": [
    {
      words: "webhooks deliveries",
      takes: [
        ["", "{webhookId}"],
        ["?", "{deliveryId}"],
      ],
    },
  ],
  "GET /v1/deployments": [
    {
      words: "deployments list",
      takes: [
        ["?", "?projectName"],
        ["--branch", "?branchName"],
      ],
    },
  ],
  "GET /v1/deployments/{deploymentName}": [{ words: "deployments show", takes: [["", "{deploymentName}"]] }],
  "GET /v1/deployments/{deploymentName}/analytics": [
    {
      words: "analytics",
      takes: [
        ["?", "{deploymentName}"],
        ["--by", "?by"],
        ["--from", "?from"],
        ["--to", "?to"],
        ["--step", "?step"],
        ["--route", "?route"],
        ["--status", "?status"],
        ["--consumer", "?consumer"],
        ["--consumer-id", "?consumerId"],
        ["--policy", "?policy"],
      ],
    },
  ],
  "GET /v1/deployments/{deploymentName}/changes": [
    {
      words: "deployments changes",
      takes: [
        ["", "{deploymentName}"],
        ["--version", "?version"],
        ["--with", "?withVersion"],
      ],
    },
  ],
  "GET /v1/deployments/{deploymentName}/logs": [
    {
      words: "deployments logs",
      takes: [
        ["", "{deploymentName}"],
        ["--kind", "?kind"],
        ["--since", "?since"],
      ],
    },
  ],
  "GET /v1/deployments/{deploymentName}/requests": [
    {
      words: "requests list",
      takes: [
        ["--deployment", "{deploymentName}"],
        ["--status", "?status"],
        ["--method", "?method"],
        ["--route", "?route"],
        ["--consumer", "?consumer"],
        ["--consumer-id", "?consumerId"],
        ["--request-id", "?requestId"],
        ["--path", "?q"],
        ["--observed", "?observed", { is: "true" }],
        ["--policy", "?observed"],
        ["--from", "?from"],
        ["--to", "?to"],
        ["--before", "?before"],
      ],
    },
  ],
  "GET /v1/deployments/{deploymentName}/routes": [
    {
      words: "deployments routes",
      takes: [
        ["", "{deploymentName}"],
        ["--version", "?version"],
      ],
    },
  ],
  "GET /v1/deployments/{deploymentName}/traffic": [{ words: "traffic show", takes: [["", "{deploymentName}"]] }],
  "GET /v1/deployments/{deploymentName}/upstreams": [
    { words: "deployments upstreams", takes: [["", "{deploymentName}"]] },
  ],
  "GET /v1/deployments/{deploymentName}/versions": [
    { words: "deployments versions", takes: [["", "{deploymentName}"]] },
  ],
  "GET /v1/deployments/{deploymentName}/versions/{versionNumber}": [
    {
      words: "deployments version",
      takes: [
        ["", "{deploymentName}"],
        ["", "{versionNumber}"],
      ],
    },
  ],
  "GET /v1/metering": [{ words: "metering list", takes: [] }],
  "GET /v1/metering/{bucketId}": [{ words: "metering show", takes: [["", "{bucketId}"]] }],
  "GET /v1/metering/{bucketId}/credit-packs": [{ words: "credits list", takes: [["--bucket", "{bucketId}"]] }],
  "GET /v1/metering/{bucketId}/credit-packs/{packId}": [
    {
      words: "credits show",
      takes: [
        ["", "{packId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/customers": [
    {
      words: "customers list",
      takes: [
        ["--bucket", "{bucketId}"],
        ["--sort", "?sort"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/customers/{customerKey}": [
    {
      words: "customers show",
      takes: [
        ["", "{customerKey}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/customers/{customerKey}/credit-entries": [
    {
      words: "grants history",
      takes: [
        ["", "{customerKey}"],
        ["--bucket", "{bucketId}"],
        ["--order", "?order"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/customers/{customerKey}/grants": [
    {
      words: "grants list",
      takes: [
        ["", "{customerKey}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/customers/{customerKey}/grants/{grantId}": [
    {
      words: "grants show",
      takes: [
        ["", "{customerKey}"],
        ["", "{grantId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/customers/{customerKey}/grants/{grantId}/entries": [
    {
      words: "grants entries",
      takes: [
        ["", "{customerKey}"],
        ["", "{grantId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/customers/{customerKey}/packs": [
    {
      words: "credits purchases",
      takes: [
        ["", "{customerKey}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/invoices": [
    {
      words: "invoices list",
      takes: [
        ["--bucket", "{bucketId}"],
        ["--customer", "?customerKey"],
        ["--subscription", "?subscriptionId"],
        ["--status", "?status"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/invoices/{invoiceId}": [
    {
      words: "invoices show",
      takes: [
        ["", "{invoiceId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
    {
      words: "invoices print",
      takes: [
        ["", "{invoiceId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/mails": [{ words: "metering mails", takes: [["", "{bucketId}"]] }],
  "GET /v1/metering/{bucketId}/payments": [
    {
      words: "invoices payments",
      takes: [
        ["--bucket", "{bucketId}"],
        ["--customer", "?customerKey"],
        ["--from", "?from"],
        ["--to", "?to"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/plans": [
    {
      words: "plans list",
      takes: [
        ["--bucket", "{bucketId}"],
        ["--external-id", "?planExternalId"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/plans/{planId}": [
    {
      words: "plans show",
      takes: [
        ["", "{planId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/reconciliation": [
    {
      words: "metering reconcile",
      takes: [
        ["--bucket", "{bucketId}"],
        ["--from", "?from"],
        ["--to", "?to"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/recurring-revenue": [
    {
      words: "invoices recurring",
      takes: [
        ["--bucket", "{bucketId}"],
        ["--from", "?from"],
        ["--to", "?to"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/revenue": [
    {
      words: "invoices revenue",
      takes: [
        ["--bucket", "{bucketId}"],
        ["--from", "?from"],
        ["--to", "?to"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/subscriptions": [
    {
      words: "subscriptions list",
      takes: [
        ["--bucket", "{bucketId}"],
        ["--customer", "?customerKey"],
        ["--status", "?status"],
        ["--external-id", "?subscriptionExternalId"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/subscriptions/{subscriptionId}": [
    {
      words: "subscriptions show",
      takes: [
        ["", "{subscriptionId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/subscriptions/{subscriptionId}/upcoming-invoice": [
    {
      words: "invoices upcoming",
      takes: [
        ["", "{subscriptionId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/subscriptions/{subscriptionId}/usage": [
    {
      words: "usage show",
      takes: [
        ["", "{subscriptionId}"],
        ["--bucket", "{bucketId}"],
        ["--at", "?at"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/subscriptions/{subscriptionId}/usage-series": [
    {
      words: "usage series",
      takes: [
        ["", "{subscriptionId}"],
        ["--bucket", "{bucketId}"],
        ["--from", "?from"],
        ["--to", "?to"],
        ["--step", "?step"],
        ["--meter", "?meter"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/subscriptions/{subscriptionId}/usage/history": [
    {
      words: "usage history",
      takes: [
        ["", "{subscriptionId}"],
        ["--bucket", "{bucketId}"],
        ["--from", "?from"],
        ["--to", "?to"],
      ],
    },
  ],
  "GET /v1/metering/{bucketId}/usage": [
    {
      words: "usage list",
      takes: [
        ["--bucket", "{bucketId}"],
        ["--near", "?near"],
        ["--meter", "?meter"],
      ],
    },
  ],
  "GET /v1/system": [{ words: "status", takes: [] }],
  "GET /v1/who-am-i": [{ words: "whoami", takes: [] }],
  "PATCH /v1/accounts/{accountName}/domains/{domainId}": [
    {
      words: "domains update",
      takes: [
        ["", "{domainId}"],
        ["--deployment", "/deploymentName"],
      ],
    },
  ],
  "PATCH /v1/accounts/{accountName}/exports/{exportName}": [
    {
      words: "exports update",
      takes: [
        ["", "{exportName}"],
        ["--enable", "/isEnabled", { is: true }],
        ["--disable", "/isEnabled", { is: false }],
      ],
    },
  ],
  "PATCH /v1/accounts/{accountName}/key-buckets/{bucketName}": [
    {
      words: "buckets update",
      takes: [
        ["", "{bucketName}"],
        ["--on-leak", "/onLeak"],
        ["--description", "/description"],
        ["--prefix", "/keyPrefix"],
        ["--tag", "/tags/*", "pairs"],
        ["--clear description", "/description", { is: null }],
        ["--clear tags", "/tags", { is: null }],
        ["--clear tokenIssuers", "/tokenIssuers", { is: null }],
      ],
    },
  ],
  "PATCH /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}": [
    {
      words: "consumers update",
      takes: [
        ["", "{consumerName}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
        ["--display-name", "/displayName"],
        ["--description", "/description"],
        ["--tag", "/tags/*", "pairs"],
        ["--metadata", "/metadata", "json"],
        ["--clear displayName", "/displayName", { is: null }],
        ["--clear description", "/description", { is: null }],
        ["--clear tags", "/tags", { is: null }],
        ["--clear metadata", "/metadata", { is: null }],
      ],
    },
  ],
  "PATCH /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/keys/{keyId}": [
    {
      words: "keys update",
      takes: [
        ["", "{consumerName}"],
        ["", "{keyId}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
        ["--description", "/description"],
        ["--expires-on", "/expiresOn"],
        ["--enabled", "/isEnabled"],
        ["--permission", "/permissions", "list"],
        ["--allowed-ip", "/allowedIps", "list"],
        ["--rate-limit", "/rateLimit/requests", { joined: "/rateLimit/windowSeconds" }],
        ["--metadata", "/metadata", "json"],
        ["--key-stdin", "/key", { is: "…" }],
        ["--clear description", "/description", { is: null }],
        ["--clear expiresOn", "/expiresOn", { is: null }],
        ["--clear permissions", "/permissions", { is: null }],
        ["--clear allowedIps", "/allowedIps", { is: null }],
        ["--clear rateLimit", "/rateLimit", { is: null }],
        ["--clear metadata", "/metadata", { is: null }],
      ],
    },
  ],
  "PATCH /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/managers/{managerId}": [
    {
      words: "managers update",
      takes: [
        ["", "{consumerName}"],
        ["", "{managerId}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
        ["--scope", "/scopes", "list"],
        ["--clear scopes", "/scopes", { is: null }],
      ],
    },
  ],
  "PATCH /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/oauth-clients/{oauthClientId}": [
    {
      words: "clients update",
      takes: [
        ["", "{oauthClientId}"],
        ["--bucket", "{bucketName}"],
        ["--name", "/name"],
        ["--redirect-uri", "/redirectUris", "list"],
      ],
    },
  ],
  "PATCH /v1/accounts/{accountName}/members/{memberId}": [
    {
      words: "members update",
      takes: [
        ["", "{memberId}"],
        ["--role", "/role"],
        ["--name", "/name"],
        ["--clear name", "/name", { is: null }],
        ["--clear projects", "/projects", { is: null }],
      ],
    },
  ],
  "PATCH /v1/accounts/{accountName}/trusted-issuers/{trustedIssuerId}": [
    {
      words: "issuers update",
      takes: [
        ["", "{trustedIssuerId}"],
        ["--subject", "/subject"],
        ["--role", "/role"],
        ["--audience", "/audience"],
        ["--claim", "/claims/*", "pairs"],
        ["--project", "/project"],
        ["--environment", "/environments", "lowerCase"],
        ["--branch-claim", "/branchClaim"],
        ["--clear audience", "/audience", { is: null }],
        ["--clear claims", "/claims", { is: null }],
        ["--clear project", "/project", { is: null }],
        ["--clear branchClaim", "/branchClaim", { is: null }],
      ],
    },
  ],
  "PATCH /v1/accounts/{accountName}/webhooks/{webhookId}": [
    {
      words: "webhooks update",
      takes: [
        ["", "{webhookId}"],
        ["--name", "/name"],
        ["--url", "/url"],
        ["--event", "/events", "list"],
        ["--description", "/description"],
        ["--enabled", "/isEnabled"],
        ["--clear name", "/name", { is: null }],
        ["--clear description", "/description", { is: null }],
      ],
    },
  ],
  "PATCH /v1/metering/{bucketId}": [
    {
      words: "metering update",
      takes: [
        ["", "{bucketId}"],
        ["--name", "/name"],
        ["--key-bucket", "/keyBucket"],
        ["--clear name", "/name", { is: null }],
        ["--clear keyBucket", "/keyBucket", { is: null }],
      ],
    },
  ],
  "PATCH /v1/metering/{bucketId}/credit-packs/{packId}": [
    {
      words: "credits update",
      takes: [
        ["", "{packId}"],
        ["--bucket", "{bucketId}"],
        ["--label", "/label"],
        ["--public", "/isPublic"],
        ["--position", "/position"],
      ],
    },
  ],
  "PATCH /v1/metering/{bucketId}/customers/{customerKey}": [
    {
      words: "customers update",
      takes: [
        ["", "{customerKey}"],
        ["--bucket", "{bucketId}"],
        ["--email", "/email"],
        ["--legal-name", "/legalName"],
        ["--tax-id", "/taxIds", "list"],
        ["--tax-status", "/taxStatus"],
        ["--currency", "/currency"],
        ["--spend-cap", "/spendCap/amount"],
        ["--credit-limit", "/creditLimit/amount"],
        ["--cap-action", "/spendCap/action"],
        ["--cap-currency", "/spendCaps/0/currency"],
        ["--clear email", "/email", { is: null }],
        ["--clear legalName", "/legalName", { is: null }],
        ["--clear address", "/address", { is: null }],
        ["--clear taxIds", "/taxIds", { is: null }],
        ["--clear taxStatus", "/taxStatus", { is: null }],
        ["--clear currency", "/currency", { is: null }],
        ["--clear spendCap", "/spendCap", { is: null }],
        ["--clear creditLimit", "/creditLimit", { is: null }],
        ["--clear topUp", "/topUp", { is: null }],
      ],
    },
  ],
  "PATCH /v1/metering/{bucketId}/plans/{planId}": [
    {
      words: "plans update",
      takes: [
        ["", "{planId}"],
        ["--bucket", "{bucketId}"],
        ["--label", "/label"],
        ["--external-id", "/planExternalId"],
        ["--meter", "/meters/*/max", "pairs"],
        ["--meter-label", "/meters/*/label", "pairs"],
        ["--trial-days", "/trialDays"],
        ["--trial-end", "/trialEndStatus"],
        ["--price", "/price/amount"],
        ["--currency", "/price/currency"],
        ["--interval", "/price/interval"],
        ["--rollover", "/rollover/*/maximum", "pairs"],
        ["--feature", "/features/*", "pairs"],
        ["--description", "/description"],
        ["--public", "/isPublic"],
        ["--position", "/position"],
        ["--clear trialDays", "/trialDays", { is: null }],
        ["--clear trialEndStatus", "/trialEndStatus", { is: null }],
        ["--clear price", "/price", { is: null }],
        ["--clear rates", "/rates", { is: null }],
        ["--clear rollover", "/rollover", { is: null }],
        ["--clear features", "/features", { is: null }],
        ["--clear description", "/description", { is: null }],
        ["--clear isPublic", "/isPublic", { is: null }],
        ["--clear position", "/position", { is: null }],
      ],
    },
  ],
  "PATCH /v1/metering/{bucketId}/subscriptions/{subscriptionId}": [
    {
      words: "subscriptions update",
      takes: [
        ["", "{subscriptionId}"],
        ["--bucket", "{bucketId}"],
        ["--status", "/status"],
        ["--plan", "/planExternalIds", "list"],
        ["--prorate", "/prorate"],
        ["--trial-end", "/trialEndDate"],
        ["--metadata", "/metadata", "json"],
        ["--clear metadata", "/metadata", { is: null }],
        ["--clear trialEndDate", "/trialEndDate", { is: null }],
      ],
    },
  ],
  "POST /v1/accounts": [{ words: "accounts create", takes: [["", "/name"]] }],
  "POST /v1/accounts/{accountName}/domains": [
    {
      words: "domains add",
      takes: [
        ["", "/host"],
        ["--deployment", "/deploymentName"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/domains/{domainId}/check": [{ words: "domains check", takes: [["", "{domainId}"]] }],
  "POST /v1/accounts/{accountName}/exports": [
    {
      words: "exports create",
      takes: [
        ["", "/name"],
        ["", "/to/url"],
        ["--kind", "/kinds", "list"],
        ["--format", "/format"],
        ["--endpoint", "/to/endpoint"],
        ["--region", "/to/region"],
        ["--from", "/from"],
        ["--disabled", "/isEnabled", { is: false }],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/exports/{exportName}/$backfill": [
    {
      words: "exports backfill",
      takes: [
        ["", "{exportName}"],
        ["--from", "/from"],
        ["--to", "/to"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets": [
    {
      words: "buckets create",
      takes: [
        ["", "/name"],
        ["--description", "/description"],
        ["--prefix", "/keyPrefix"],
        ["--not-retrievable", "/isRetrievable", { is: false }],
        ["--on-leak", "/onLeak"],
        ["--tag", "/tags/*", "pairs"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers": [
    {
      words: "consumers create",
      takes: [
        ["?", "/name"],
        ["--bucket", "{bucketName}"],
        ["--adopt-customer", "?adopt-customer", { is: "true" }],
        ["--with-key", "?with-api-key", { is: "true" }],
        ["--display-name", "/displayName"],
        ["--description", "/description"],
        ["--tag", "/tags/*", "pairs"],
        ["--metadata", "/metadata", "json"],
        ["--manager", "/managers", "list"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/$delete": [
    {
      words: "consumers delete-many",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--where", "/where/*", "pairs"],
        ["--name", "/names", "list"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/$update": [
    {
      words: "consumers tag",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--where", "/where/*", "pairs"],
        ["--name", "/names", "list"],
        ["--add", "/set/addTags/*", "pairs"],
        ["--remove", "/set/removeTags", "list"],
      ],
    },
    {
      words: "consumers suspend",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--where", "/where/*", "pairs"],
        ["--name", "/names", "list"],
        ["--reason", "/set/suspensionReason"],
        ["-", "/set/isSuspended", { is: true }],
      ],
    },
    {
      words: "consumers resume",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--where", "/where/*", "pairs"],
        ["--name", "/names", "list"],
        ["-", "/set/isSuspended", { is: false }],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/keys": [
    {
      words: "keys create",
      takes: [
        ["?", "{consumerName}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
        ["--description", "/description"],
        ["--expires-on", "/expiresOn"],
        ["--enabled", "/isEnabled"],
        ["--permission", "/permissions", "list"],
        ["--allowed-ip", "/allowedIps", "list"],
        ["--rate-limit", "/rateLimit/requests", { joined: "/rateLimit/windowSeconds" }],
        ["--metadata", "/metadata", "json"],
        ["--key-stdin", "/key", { is: "…" }],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/manager-invites": [
    {
      words: "managers invite",
      takes: [
        ["", "{consumerName}"],
        ["", "/email"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
        ["--scope", "/scopes", "list"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/manager-invites/{inviteId}/accept":
    [
      {
        words: "managers accept",
        takes: [
          ["", "{consumerName}"],
          ["", "{inviteId}"],
          ["", "/sub"],
          ["--bucket", "{bucketName}"],
          ["--if-tag", "?tag.*", "pairs"],
        ],
      },
    ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/managers": [
    {
      words: "managers add",
      takes: [
        ["", "{consumerName}"],
        ["", "/sub"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
        ["--email", "/email"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/consumers/{consumerName}/roll-key": [
    {
      words: "keys roll",
      takes: [
        ["", "{consumerName}"],
        ["--bucket", "{bucketName}"],
        ["--if-tag", "?tag.*", "pairs"],
        ["--expires-on", "/expiresOn"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/keys/$delete": [
    {
      words: "keys delete-many",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--where", "/where/*", "pairs"],
        ["--id", "/ids", "list"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/keys/$leaked": [
    {
      words: "keys leaked",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--source", "/source"],
        ["--url", "/url"],
        ["-", "/keys", { is: ["…"] }],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/keys/$update": [
    {
      words: "keys disable",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--where", "/where/*", "pairs"],
        ["--id", "/ids", "list"],
        ["-", "/set/isEnabled", { is: false }],
      ],
    },
    {
      words: "keys enable",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--where", "/where/*", "pairs"],
        ["--id", "/ids", "list"],
        ["-", "/where/enabled", { is: false }],
        ["-", "/set/isEnabled", { is: true }],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/$view": [
    {
      words: "portal view",
      takes: [
        ["", "/consumerName"],
        ["--bucket", "{bucketName}"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/access-requests/{accessRequestId}/$approve": [
    {
      words: "portal approve",
      takes: [
        ["", "{accessRequestId}"],
        ["--bucket", "{bucketName}"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/access-requests/{accessRequestId}/$deny": [
    {
      words: "portal deny",
      takes: [
        ["", "{accessRequestId}"],
        ["--bucket", "{bucketName}"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/oauth-clients": [
    {
      words: "clients create",
      takes: [
        ["", "/name"],
        ["--bucket", "{bucketName}"],
        ["--redirect-uri", "/redirectUris", "list"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/oauth-keys/$rotate": [
    {
      words: "portal rotate-oauth-key",
      takes: [
        ["--bucket", "{bucketName}"],
        ["--revoke-tokens", "/revokesTokens", { is: true }],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/portal/sessions": [
    {
      words: "portal hand-off",
      takes: [
        ["", "/consumerName"],
        ["--bucket", "{bucketName}"],
        ["--subject", "/subject"],
        ["--scope", "/scopes", "list"],
        ["--return-url", "/returnUrl"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/verify-key": [
    {
      words: "keys verify",
      takes: [
        ["?", "/key"],
        ["--bucket", "{bucketName}"],
        ["--ip", "/ip"],
        ["--permission", "/permission"],
        ["--consume", "/consume/meters/*", "pairs"],
        ["--hold", "/hold/meters/*", "pairs"],
        ["--metering-bucket", "/consume/bucketId"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/members": [
    {
      words: "members invite",
      takes: [
        ["", "/email"],
        ["--role", "/role"],
        ["--name", "/name"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/members/{memberId}/$invite": [
    { words: "members resend", takes: [["", "{memberId}"]] },
  ],
  "POST /v1/accounts/{accountName}/tokens": [
    {
      words: "tokens create",
      takes: [
        ["--role", "/role"],
        ["--name", "/name"],
        ["--expires-on", "/expiresOn"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/trusted-issuers": [
    {
      words: "issuers create",
      takes: [
        ["", "/issuer"],
        ["--subject", "/subject"],
        ["--role", "/role"],
        ["--audience", "/audience"],
        ["--claim", "/claims/*", "pairs"],
        ["--project", "/project"],
        ["--environment", "/environments", "lowerCase"],
        ["--branch-claim", "/branchClaim"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/webhooks": [
    {
      words: "webhooks create",
      takes: [
        ["", "/url"],
        ["--name", "/name"],
        ["--event", "/events", "list"],
        ["--description", "/description"],
        ["--disabled", "/isEnabled", { is: false }],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/webhooks/{webhookId}/deliveries/{deliveryId}/retry": [
    {
      words: "webhooks retry",
      takes: [
        ["", "{webhookId}"],
        ["", "{deliveryId}"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/webhooks/{webhookId}/replay": [
    {
      words: "webhooks replay",
      takes: [
        ["", "{webhookId}"],
        ["--from", "/from"],
        ["--to", "/to"],
        ["--new-ids", "/newIds", { is: true }],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/webhooks/{webhookId}/rotate-secret": [
    {
      words: "webhooks rotate-secret",
      takes: [
        ["", "{webhookId}"],
        ["--grace-seconds", "/graceSeconds"],
      ],
    },
  ],
  "POST /v1/accounts/{accountName}/webhooks/{webhookId}/test": [
    { words: "webhooks test", takes: [["", "{webhookId}"]] },
  ],
  "POST /v1/deployments/{deploymentName}/deploy": [
    { words: "deployments redeploy", takes: [["", "{deploymentName}"]] },
  ],
  "POST /v1/deployments/{deploymentName}/rollback": [
    {
      words: "deployments rollback",
      takes: [
        ["", "{deploymentName}"],
        ["--version", "/version"],
      ],
    },
  ],
  "POST /v1/deployments/{deploymentName}/traffic/$promote": [
    { words: "traffic promote", takes: [["", "{deploymentName}"]] },
  ],
  "POST /v1/deployments/{deploymentName}/traffic/$test": [
    {
      words: "traffic test",
      takes: [
        ["", "{deploymentName}"],
        ["--version", "/versionNumber"],
      ],
    },
  ],
  "POST /v1/metering": [
    {
      words: "metering create",
      takes: [
        ["--name", "/name"],
        ["--key-bucket", "/keyBucket"],
        ["--test", "/isTest", { is: true }],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/clock": [
    {
      words: "metering move-clock",
      takes: [
        ["", "{bucketId}"],
        ["--to", "/now"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/customers/{customerKey}/$payment-portal": [
    {
      words: "customers payment-portal",
      takes: [
        ["", "{customerKey}"],
        ["--bucket", "{bucketId}"],
        ["--return-url", "/returnUrl"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/customers/{customerKey}/grants": [
    {
      words: "grants create",
      takes: [
        ["", "{customerKey}"],
        ["--bucket", "{bucketId}"],
        ["--meter", "/meter"],
        ["--currency", "/currency"],
        ["--amount", "/amount"],
        ["--funding", "/funding"],
        ["--priority", "/priority"],
        ["--effective-on", "/effectiveOn"],
        ["--expires-on", "/expiresOn"],
        ["--reason", "/reason"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/customers/{customerKey}/grants/{grantId}/$void": [
    {
      words: "grants void",
      takes: [
        ["", "{customerKey}"],
        ["", "{grantId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/customers/{customerKey}/packs/$purchase": [
    {
      words: "credits sell",
      takes: [
        ["", "{customerKey}"],
        ["", "/packExternalId"],
        ["--bucket", "{bucketId}"],
        ["--return-url", "/returnUrl"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/customers/{customerKey}/packs/{purchaseId}/$refund": [
    {
      words: "credits refund",
      takes: [
        ["", "{customerKey}"],
        ["", "{purchaseId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/events": [
    {
      words: "events send",
      takes: [
        ["--bucket", "{bucketId}"],
        ["--customer", "/0/subject"],
        ["--meter", "/0/data/*", "pairs"],
        ["--id", "/0/id"],
        ["--source", "/0/source"],
        ["--type", "/0/type"],
        ["--time", "/0/time"],
        ["-", "/0/specversion", { is: "1.0" }],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/events/$void": [
    {
      words: "events void",
      takes: [
        ["", "/id"],
        ["--bucket", "{bucketId}"],
        ["--source", "/source"],
        ["--reason", "/reason"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/holds/{holdId}/$release": [
    {
      words: "usage release",
      takes: [
        ["", "{holdId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/holds/{holdId}/$settle": [
    {
      words: "usage settle",
      takes: [
        ["", "{holdId}"],
        ["--bucket", "{bucketId}"],
        ["--meter", "/meters/*", "pairs"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$collect": [
    {
      words: "invoices collect",
      takes: [
        ["", "{invoiceId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$confirm": [
    {
      words: "invoices confirm",
      takes: [
        ["", "{invoiceId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$credit": [
    {
      words: "invoices credit",
      takes: [
        ["", "{invoiceId}"],
        ["--bucket", "{bucketId}"],
        ["--amount", "/lines/0/amount"],
        ["--description", "/lines/0/description"],
        ["--line", "/lines/0/line"],
        ["--to", "/to"],
        ["--reference", "/reference"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$finalize": [
    {
      words: "invoices finalize",
      takes: [
        ["", "{invoiceId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$mark-paid": [
    {
      words: "invoices mark-paid",
      takes: [
        ["", "{invoiceId}"],
        ["--bucket", "{bucketId}"],
        ["--paid-on", "/paidOn"],
        ["--reference", "/reference"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$mark-uncollectible": [
    {
      words: "invoices mark-uncollectible",
      takes: [
        ["", "{invoiceId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/invoices/{invoiceId}/$void": [
    {
      words: "invoices void",
      takes: [
        ["", "{invoiceId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/plans": [
    {
      words: "plans create",
      takes: [
        ["", "/planExternalId"],
        ["--bucket", "{bucketId}"],
        ["--label", "/label"],
        ["--meter", "/meters/*/max", "pairs"],
        ["--meter-label", "/meters/*/label", "pairs"],
        ["--trial-days", "/trialDays"],
        ["--trial-end", "/trialEndStatus"],
        ["--price", "/price/amount"],
        ["--currency", "/price/currency"],
        ["--interval", "/price/interval"],
        ["--rollover", "/rollover/*/maximum", "pairs"],
        ["--feature", "/features/*", "pairs"],
        ["--description", "/description"],
        ["--public", "/isPublic"],
        ["--position", "/position"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/subscriptions": [
    {
      words: "subscriptions create",
      takes: [
        ["", "/customerKey"],
        ["--bucket", "{bucketId}"],
        ["--plan", "/planExternalIds", "list"],
        ["--status", "/status"],
        ["--renewal", "/renewalStrategy"],
        ["--region", "/region"],
        ["--external-id", "/subscriptionExternalId"],
        ["--customer-external-id", "/customerExternalId"],
        ["--anchor", "/quotaResetAnchor"],
        ["--trial-end", "/trialEndDate"],
        ["--metadata", "/metadata", "json"],
        ["~", "/planIds"],
        ["-", "/type", { is: "periodic" }],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/subscriptions/$purchase": [
    {
      words: "subscriptions purchase",
      takes: [
        ["", "/customerKey"],
        ["--bucket", "{bucketId}"],
        ["--plan", "/planExternalIds", "list"],
        ["--return-url", "/returnUrl"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/subscriptions/{subscriptionId}/$cancel": [
    {
      words: "subscriptions cancel",
      takes: [
        ["", "{subscriptionId}"],
        ["--bucket", "{bucketId}"],
        ["--timing", "/timing"],
        ["--refund", "/refund", { is: true }],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/subscriptions/{subscriptionId}/$change": [
    {
      words: "subscriptions change",
      takes: [
        ["", "{subscriptionId}"],
        ["--bucket", "{bucketId}"],
        ["--plan", "/planExternalIds", "list"],
        ["--timing", "/timing"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/subscriptions/{subscriptionId}/$pause": [
    {
      words: "subscriptions pause",
      takes: [
        ["", "{subscriptionId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/subscriptions/{subscriptionId}/$resume": [
    {
      words: "subscriptions resume",
      takes: [
        ["", "{subscriptionId}"],
        ["--bucket", "{bucketId}"],
      ],
    },
  ],
  "POST /v1/metering/{bucketId}/subscriptions/{subscriptionId}/quotas/consume": [
    {
      words: "usage consume",
      takes: [
        ["", "{subscriptionId}"],
        ["--bucket", "{bucketId}"],
        ["--meter", "/meters/*", "pairs"],
      ],
    },
  ],
  "PUT /v1/accounts/{accountName}/payment-provider/{mode}": [
    {
      words: "billing set-provider",
      takes: [
        ["--mode", "{mode}"],
        ["--type", "/type"],
        ["--force", "?force", { is: "true" }],
      ],
    },
  ],
  "PUT /v1/accounts/{accountName}/projects/{projectName}/variables/{variableName}": [
    {
      words: "variables set",
      takes: [
        ["", "{variableName}"],
        ["?", "/value"],
        ["--project", "{projectName}"],
        ["--secret", "/isSecret", { is: true }],
        ["--environment", "/environments", "list"],
      ],
    },
  ],
  "PUT /v1/metering/{bucketId}/customers/{customerKey}/payment-method": [
    {
      words: "customers set-payment-method",
      takes: [
        ["", "{customerKey}"],
        ["--bucket", "{bucketId}"],
        ["--behavior", "/behavior"],
        ["-", "/type", { is: "sandbox" }],
      ],
    },
  ],
};
