import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Ajv2020 from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { invoicesOf, monthly, moveTo, perUnit, setProfile } from "./support/billing.ts";
import { sqlite } from "./support/engines.ts";
import { createPlan, subscribe } from "./support/metering.ts";
import { deploy, openApi, settledStatus } from "./support/project.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { operatorToken } from "./support/server-settings.ts";

// biome-ignore lint/suspicious/noExplicitAny: the tests examine an OpenAPI document of unknown shape.
type Json = any;

const A = "/v1/accounts/{accountName}";
const P = "/v1/accounts/{accountName}/key-buckets/{bucketName}";
const C = `${P}/consumers/{consumerName}`;
const M = "/v1/metering/{bucketId}";
const S = `${M}/subscriptions/{subscriptionId}`;
const J = "/v1/accounts/{accountName}/projects/{projectName}";
const D = "/v1/deployments/{deploymentName}";

const requestFilters = "before consumer follow from limit method q requestId route status to".split(" ");

/** Every endpoint of the API, and the required parts of its request. */
const endpoints: [method: string, path: string, query: string[]][] = [
  ["get", "/v1/who-am-i", ["accountName"]],
  ["get", "/v1/system", []],
  ["get", "/v1/accounts/{accountName}/retention", []],
  ["post", "/v1/sessions", []],
  ["get", "/v1/sessions", ["accountName", "limit", "offset"]],
  ["delete", "/v1/sessions/{sessionId}", ["accountName"]],
  ["get", `${A}/sessions`, ["limit", "offset"]],
  ["delete", `${A}/sessions/{sessionId}`, []],
  ["post", "/v1/token-exchange", []],
  ["get", `${A}/trusted-issuers`, ["limit", "offset"]],
  ["post", `${A}/trusted-issuers`, []],
  ["get", `${A}/trusted-issuers/{trustedIssuerId}`, []],
  ["patch", `${A}/trusted-issuers/{trustedIssuerId}`, []],
  ["delete", `${A}/trusted-issuers/{trustedIssuerId}`, []],
  ["get", `${A}/members`, ["limit", "offset"]],
  ["post", `${A}/members`, []],
  ["get", `${A}/members/{memberId}`, []],
  ["patch", `${A}/members/{memberId}`, []],
  ["delete", `${A}/members/{memberId}`, []],
  ["post", `${A}/members/{memberId}/$invite`, []],
  ["post", "/v1/invitations/$show", []],
  ["post", "/v1/invitations/$accept", []],
  ["get", `${A}/mails`, ["limit", "offset"]],
  ["get", "/v1/sign-in", []],
  ["post", "/v1/sign-in", []],
  ["post", "/v1/sign-in/code", []],
  ["post", "/v1/sign-in/link", []],
  ["get", "/v1/accounts", ["limit", "offset"]],
  ["post", "/v1/accounts", []],
  ["get", "/v1/accounts/{accountName}", []],
  ["delete", "/v1/accounts/{accountName}", []],
  ["get", "/v1/accounts/{accountName}/tokens", ["limit", "offset"]],
  ["post", "/v1/accounts/{accountName}/tokens", []],
  ["get", "/v1/accounts/{accountName}/tokens/{tokenId}", []],
  ["delete", "/v1/accounts/{accountName}/tokens/{tokenId}", []],
  [
    "get",
    "/v1/accounts/{accountName}/audit-log",
    ["action", "actor", "actorType", "before", "from", "limit", "resource", "to"],
  ],
  ["get", "/v1/accounts/{accountName}/audit-log/verification", ["head"]],
  ["get", "/v1/accounts/{accountName}/key-buckets", ["limit", "offset"]],
  ["post", "/v1/accounts/{accountName}/key-buckets", []],
  ["get", P, []],
  ["patch", P, []],
  ["delete", P, ["force"]],
  [
    "get",
    `${P}/consumers`,
    [
      "include-api-keys",
      "include-manager-invites",
      "include-managers",
      "key-format",
      "limit",
      "manager-email",
      "offset",
      "q",
      "tag",
    ],
  ],
  ["post", `${P}/consumers/$update`, []],
  ["post", `${P}/consumers/$delete`, []],
  [
    "get",
    `${P}/keys`,
    [
      "created-before",
      "enabled",
      "expires-before",
      "limit",
      "never-used",
      "offset",
      "permission",
      "suffix",
      "tag",
      "unused-since",
    ],
  ],
  ["post", `${C}/keys/{keyId}/$roll`, ["tag"]],
  ["post", `${P}/keys/$update`, []],
  ["post", `${P}/keys/$delete`, []],
  ["post", `${P}/keys/$leaked`, []],
  ["get", "/v1/accounts/{accountName}/jobs/{jobId}", []],
  ["get", "/v1/accounts/{accountName}/search", ["q"]],
  ["post", `${P}/consumers`, ["tag", "with-api-key"]],
  ["get", C, ["include-api-keys", "include-manager-invites", "include-managers", "key-format", "tag"]],
  ["patch", C, ["tag"]],
  ["delete", C, ["tag"]],
  ["post", `${C}/roll-key`, ["tag"]],
  ["get", `${C}/keys`, ["key-format", "limit", "offset", "tag"]],
  ["post", `${C}/keys`, ["tag"]],
  ["post", `${C}/keys/$bulk`, ["tag"]],
  ["get", `${C}/keys/{keyId}`, ["key-format", "tag"]],
  ["patch", `${C}/keys/{keyId}`, ["tag"]],
  ["delete", `${C}/keys/{keyId}`, ["tag"]],
  ["get", `${C}/managers`, ["limit", "offset", "tag"]],
  ["post", `${C}/managers`, ["tag"]],
  ["get", `${C}/managers/{managerId}`, ["tag"]],
  ["patch", `${C}/managers/{managerId}`, ["tag"]],
  ["delete", `${C}/managers/{managerId}`, ["tag"]],
  ["get", `${C}/manager-invites`, ["limit", "offset", "tag"]],
  ["post", `${C}/manager-invites`, ["tag"]],
  ["get", `${C}/manager-invites/{inviteId}`, ["tag"]],
  ["delete", `${C}/manager-invites/{inviteId}`, ["tag"]],
  ["post", `${C}/manager-invites/{inviteId}/accept`, ["tag"]],
  ["post", `${P}/verify-key`, ["tag"]],
  ["get", "/v1/metering", ["accountName", "limit", "offset"]],
  ["post", "/v1/metering", ["accountName"]],
  ["get", M, ["accountName"]],
  ["patch", M, ["accountName"]],
  ["delete", M, ["accountName", "force"]],
  ["get", `${M}/plans`, ["accountName", "limit", "offset", "planExternalId"]],
  ["post", `${M}/plans`, ["accountName"]],
  ["get", `${M}/plans/{planId}`, ["accountName"]],
  ["patch", `${M}/plans/{planId}`, ["accountName"]],
  ["delete", `${M}/plans/{planId}`, ["accountName"]],
  [
    "get",
    `${M}/subscriptions`,
    ["accountName", "customerKey", "limit", "offset", "planId", "status", "subscriptionExternalId"],
  ],
  ["post", `${M}/subscriptions`, ["accountName"]],
  ["get", S, ["accountName"]],
  ["patch", S, ["accountName"]],
  ["delete", S, ["accountName"]],
  ["get", `${A}/billing-profile`, []],
  ["put", `${A}/billing-profile`, []],
  ["get", `${A}/payment-provider/{mode}`, []],
  ["put", `${A}/payment-provider/{mode}`, []],
  ["post", `${A}/payment-provider/{mode}/events`, []],
  ["get", `${A}/payment-provider/{mode}/comparison`, ["since"]],
  ["get", `${M}/customers`, ["accountName", "limit", "offset"]],
  ["get", `${M}/customers/{customerKey}`, ["accountName"]],
  ["patch", `${M}/customers/{customerKey}`, ["accountName"]],
  ["post", `${M}/customers/{customerKey}/$payment-portal`, ["accountName"]],
  ["get", `${M}/customers/{customerKey}/grants`, ["accountName", "limit", "offset"]],
  ["post", `${M}/customers/{customerKey}/grants`, ["accountName"]],
  ["get", `${M}/customers/{customerKey}/grants/{grantId}`, ["accountName"]],
  ["get", `${M}/customers/{customerKey}/grants/{grantId}/entries`, ["accountName", "limit", "offset"]],
  ["post", `${M}/customers/{customerKey}/grants/{grantId}/$void`, ["accountName"]],
  ["put", `${M}/customers/{customerKey}/payment-method`, ["accountName"]],
  ["delete", `${M}/customers/{customerKey}/payment-method`, ["accountName"]],
  ["get", `${M}/invoices`, ["accountName", "customerKey", "limit", "offset", "status", "subscriptionId"]],
  ["get", `${M}/invoices/{invoiceId}`, ["accountName"]],
  ["post", `${M}/invoices/{invoiceId}/$finalize`, ["accountName"]],
  ["post", `${M}/invoices/{invoiceId}/$credit`, ["accountName"]],
  ["post", `${M}/invoices/{invoiceId}/$collect`, ["accountName"]],
  ["post", `${M}/invoices/{invoiceId}/$mark-paid`, ["accountName"]],
  ["post", `${M}/invoices/{invoiceId}/$void`, ["accountName"]],
  ["post", `${M}/invoices/{invoiceId}/$mark-uncollectible`, ["accountName"]],
  ["get", `${M}/revenue`, ["accountName", "from", "to"]],
  ["get", `${M}/mails`, ["accountName", "limit", "offset"]],
  ["get", `${S}/upcoming-invoice`, ["accountName"]],
  ["post", `${S}/$change/preview`, ["accountName"]],
  ["post", `${M}/subscriptions/$purchase`, ["accountName"]],
  ["post", `${S}/$change`, ["accountName"]],
  ["post", `${S}/$cancel`, ["accountName"]],
  ["post", `${S}/$resume`, ["accountName"]],
  ["post", `${M}/clock`, ["accountName"]],
  ["post", `${M}/events`, ["accountName"]],
  ["get", `${A}/portals`, ["limit", "offset"]],
  ["get", `${P}/portal`, []],
  ["put", `${P}/portal`, []],
  ["post", `${P}/portal/sessions`, []],
  ["post", `${P}/portal/$view`, []],
  ["delete", `${P}/portal`, []],
  ["get", `${P}/portal/funnel`, ["stage"]],
  ["get", `${P}/portal/access-requests`, ["limit", "offset", "state"]],
  ["post", `${P}/portal/access-requests`, []],
  ["post", `${P}/portal/access-requests/{accessRequestId}/$approve`, []],
  ["post", `${P}/portal/access-requests/{accessRequestId}/$deny`, []],
  ["get", `${A}/domains`, ["limit", "offset"]],
  ["post", `${A}/domains`, []],
  ["get", `${A}/domains/{domainId}`, []],
  ["post", `${A}/domains/{domainId}/check`, []],
  ["patch", `${A}/domains/{domainId}`, []],
  ["delete", `${A}/domains/{domainId}`, []],
  ["get", `${A}/webhooks`, ["limit", "offset"]],
  ["post", `${A}/webhooks`, []],
  ["get", `${A}/webhooks/{webhookId}`, []],
  ["patch", `${A}/webhooks/{webhookId}`, []],
  ["delete", `${A}/webhooks/{webhookId}`, []],
  ["post", `${A}/webhooks/{webhookId}/rotate-secret`, []],
  ["post", `${A}/webhooks/{webhookId}/test`, []],
  ["get", `${A}/webhooks/{webhookId}/deliveries`, ["before", "limit", "status", "type"]],
  ["get", `${A}/webhooks/{webhookId}/deliveries/{deliveryId}`, []],
  ["post", `${A}/webhooks/{webhookId}/deliveries/{deliveryId}/retry`, []],
  ["post", `${A}/webhooks/{webhookId}/replay`, []],
  ["post", `${S}/$preview`, ["accountName"]],
  ["get", `${S}/usage`, ["accountName", "at"]],
  ["get", `${S}/usage/history`, ["accountName", "from", "to"]],
  ["post", `${S}/quotas/consume`, ["accountName"]],
  ["get", `${S}/usage-series`, ["accountName", "from", "meter", "step", "to"]],
  ["get", `${M}/usage`, ["accountName", "customerKeys", "limit", "meter", "near", "offset"]],
  ["get", `${M}/reconciliation`, ["accountName", "from", "to"]],
  ["get", `${J}/deployment-status/{statusId}`, []],
  ["get", `${J}/deployments`, []],
  ["get", `${A}/configuration`, []],
  ["post", `${A}/configuration/$plan`, []],
  ["get", `${A}/configuration/plans/{configurationPlanId}`, []],
  ["post", `${A}/configuration/$apply`, []],
  ["get", `${A}/views`, ["limit", "offset"]],
  ["post", `${A}/views`, []],
  ["get", `${A}/views/{viewId}`, []],
  ["patch", `${A}/views/{viewId}`, []],
  ["delete", `${A}/views/{viewId}`, []],
  ["get", `${J}/variables`, ["limit", "offset"]],
  ["get", `${J}/variables/{variableName}`, []],
  ["put", `${J}/variables/{variableName}`, []],
  ["delete", `${J}/variables/{variableName}`, []],
  ["get", "/v1/checkouts/{checkoutToken}", []],
  ["post", "/v1/checkouts/{checkoutToken}", []],
  ["get", "/v1/deployments", ["accountName", "branchName", "limit", "offset", "projectName"]],
  ["post", "/v1/deployments/sources", ["accountName"]],
  ["put", "/v1/deployments/sources/{archive}", ["token"]],
  ["get", D, ["accountName"]],
  ["delete", D, ["accountName"]],
  ["post", `${D}/deploy`, ["accountName"]],
  ["get", `${D}/routes`, ["accountName", "example", "keyBucket", "permissions", "version"]],
  ["get", `${D}/changes`, ["accountName", "with"]],
  ["get", `${D}/upstreams`, ["accountName"]],
  // Before a promotion, after which there may be no earlier version.
  ["post", `${D}/rollback`, ["accountName"]],
  ["post", `${D}/$try`, ["accountName"]],
  ["get", `${D}/traffic`, ["accountName"]],
  ["put", `${D}/traffic`, ["accountName"]],
  ["delete", `${D}/traffic`, ["accountName"]],
  ["post", `${D}/traffic/$promote`, ["accountName"]],
  ["post", `${D}/traffic/$test`, ["accountName"]],
  // After the canary releases, which a new live version would end.
  ["post", `${D}/$promote`, ["accountName"]],
  ["get", `${D}/versions`, ["accountName", "limit", "offset"]],
  ["get", `${D}/versions/{versionNumber}`, ["accountName"]],
  ["get", `${D}/logs`, ["accountName", "follow", "kind", "limit", "since"]],
  ["get", `${D}/requests`, ["accountName", ...requestFilters]],
  ["get", "/v1/accounts/{accountName}/requests", requestFilters],
  ["get", "/v1/accounts/{accountName}/requests/{requestId}", []],
  ["get", `${D}/analytics`, ["accountName", "by", "consumer", "from", "limit", "route", "status", "step", "to"]],
  ["get", `${A}/analytics`, ["by", "consumer", "from", "limit", "route", "status", "step", "to"]],
  ["get", `${A}/analytics/verifications`, ["bucket", "by", "consumer", "from", "limit", "result", "step", "to"]],
];

/** Operations that also return CSV. */
/** A log below one resource is read with its ETag. */
const isFeedOfOne = /\{webhookId\}\/deliveries$/;
/** Responses that are not a single resource have no ETag. */
const withoutEtag =
  /who-am-i$|sign-in$|\/v1\/system$|analytics(\/verifications)?$|usage-series$|\/metering\/\{bucketId\}\/usage$/;
const csvPaths = [
  `${S}/usage-series`,
  `${M}/usage`,
  `${D}/analytics`,
  `${A}/analytics`,
  `${A}/analytics/verifications`,
];

/** Fields that contain a key or a token. */
const secrets: [schema: string, ...path: string[]][] = [
  ["WebhookWithSecret", "properties", "secret"],
  ["SessionCreate", "properties", "token"],
  ["CreatedToken", "properties", "token"],
  ["PaymentProviderInput", "properties", "secretKey"],
  ["PaymentProviderInput", "properties", "webhookSecret"],
  ["TokenExchange", "properties", "subject_token"],
  ["ExchangedToken", "properties", "access_token"],
  ["InvitedMember", "properties", "invitationUrl"],
  ["InvitationAccept", "properties", "invitation"],
  ["SignInCode", "properties", "code"],
  ["SignInLink", "properties", "link"],
  ["ApiKey", "properties", "key"],
  ["ListedApiKey", "properties", "key"],
  ["ApiKeyCreate", "properties", "key"],
  ["ApiKeyUpdate", "properties", "key"],
  ["VerifyKey", "properties", "key"],
  ["SourceUpload", "properties", "uploadUrl"],
  ["TrafficTest", "properties", "value"],
  ["PortalHandoff", "properties", "url"],
  ["PortalUpdate", "properties", "oidc", "properties", "clientSecret"],
  ["PurchasedSubscription", "properties", "url"],
  ["VariableSet", "properties", "value"],
  ["ConsumerCreate", "properties", "apiKeys", "items", "properties", "key"],
  ["ConfigurationPlanCreate", "properties", "secrets", "additionalProperties"],
  [
    "Configuration",
    ...["properties", "variables", "additionalProperties", "additionalProperties", "properties", "value"],
  ],
  ["LeakReport", "properties", "keys", "items"],
  ["DeploymentTry", "properties", "body"],
  ["DeploymentTry", "properties", "headers", "additionalProperties"],
];

// The document does not depend on the engine.
let server: TestServer;
let document: Json;
beforeAll(async () => {
  server = await startServer(sqlite);
  document = await (await fetch(`${server.url}/openapi.json`)).json();
});
afterAll(() => server.stop());

const operationAt = (method: string, path: string): Json => document.paths[path]?.[method];

describe("the document", () => {
  test("is OpenAPI 3.1, with title and version", () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: "Tollgate", version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(document.components.securitySchemes.token).toMatchObject({ type: "http", scheme: "bearer" });
    expect(document.security).toEqual([{ token: [] }]);
    for (const { name, description } of document.tags) expect([name, description]).toEqual([name, expect.any(String)]);
  });

  test("contains exactly the endpoints", () => {
    const documented = Object.entries<Json>(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    expect(documented.sort()).toEqual(endpoints.map(([method, path]) => `${method} ${path}`).sort());
  });

  test("depends on no setting but the public URL", async () => {
    const environment = {
      TOLLGATE_PUBLIC_URL: "https://tollgate.example",
      TOLLGATE_OPERATOR_TOKEN: "",
      TOLLGATE_METRICS_TOKEN: "metrics-token-of-this-test-1234567890",
      TOLLGATE_INSIGHT: "off",
      TOLLGATE_EGRESS: "public",
      TOLLGATE_ACCOUNT: "another",
    };
    const other = await startServer(sqlite, { environment });
    const found = await (await fetch(`${other.url}/openapi.json`)).json();
    await other.stop();
    expect(found).toEqual({ ...document, servers: [{ url: "https://tollgate.example" }] });
  });

  test("has only valid references", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(0);
    for (const reference of new Set(references)) {
      const target = reference.split("/").reduce<Json>((place, step) => place?.[step], document);
      expect([reference, typeof target]).toEqual([reference, "object"]);
    }
  });

  test("has only schemas that are JSON Schema 2020-12", () => {
    for (const [name, schema] of Object.entries(document.components.schemas))
      expect([name, schemas().validateSchema(schema as object)]).toEqual([name, true]);
  });

  test("has an operationId for each operation, and all are unique", () => {
    const ids = endpoints.map(([method, path]) => operationAt(method, path).operationId);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
    expect(new Set(ids).size).toBe(endpoints.length);
  });

  test.each(secrets)("marks secrets in %s", (schema, ...path) => {
    const field = path.reduce<Json>((place, step) => place?.[step], document.components.schemas[schema]);
    expect(field).toMatchObject({ type: "string", "x-secret": true });
  });

  test("marks every other field of such a name, and nothing else", () => {
    const text = JSON.stringify(document.components.schemas);
    const fields = [...text.matchAll(/"(\w+)":\{[^{}]*"x-secret":true/g)].map((match) => match[1]!);
    expect(new Set(fields)).toEqual(
      new Set([
        "access_token",
        "additionalProperties",
        "body",
        "clientSecret",
        "code",
        "invitation",
        "invitationUrl",
        "items",
        "key",
        "link",
        "secret",
        "secretKey",
        "subject_token",
        "token",
        "uploadUrl",
        "url",
        "value",
        "webhookSecret",
      ]),
    );
    expect(fields).toHaveLength(secrets.length);
    const names = "key|token|secret|password|uploadUrl";
    // The keys of analytics series (routes, statuses, consumers), and the key that a trial names by its id.
    const { Analytics, VerificationAnalytics, DeploymentTry } = document.components.schemas;
    const others = JSON.stringify([Analytics, VerificationAnalytics, DeploymentTry]).match(/"key":\{/g)!;
    const marked = secrets.filter((path) => new RegExp(`^(${names})$`).test(path.at(-1)!));
    expect(text.match(new RegExp(`"(${names})":\\{`, "g"))!).toHaveLength(marked.length + others.length);
  });
});

test("the pages in docs mention every endpoint", () => {
  const folder = join(import.meta.dir, "../docs");
  const pages = [...new Bun.Glob("*.md").scanSync(folder)].filter((name) => name !== "cli.md");
  const text = pages.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  const endOf = (path: string) => path.match(/\/[^/{]+(?=(\/\{\w+\})?$)/)![0];
  expect(endpoints.filter(([, path]) => !text.includes(endOf(path))).map(([, path]) => path)).toEqual([]);
});

const isExchange = (path: string) => path === "/v1/token-exchange";
/** Called by Stripe, which signs the body. */
const isOfStripe = (path: string) => path.endsWith("/payment-provider/{mode}/events");

/** Called without a token: by pages of the server itself, or to get one. They have separate tests. */
const isForOwnPages = (method: string, path: string) =>
  isExchange(path) ||
  /^\/v1\/(sign-in|invitations|checkouts)/.test(path) ||
  (method === "post" && path === "/v1/sessions");

describe.each(endpoints)("%s %s", (method, path, query) => {
  const isUpload = path.endsWith("/{archive}");
  let operation: Json;
  beforeAll(() => {
    operation = operationAt(method, path);
  });

  test("has a summary and a description", () => {
    expect(operation.summary).toMatch(/^[A-Z].{5,}[^.]$/);
    const isOpen = isUpload || isForOwnPages(method, path) || isOfStripe(path);
    expect(operation.description).toMatch(isOpen ? /Needs no token\.$/ : /Roles: [a-z, ]+\.$/);
    expect(operation.tags).toHaveLength(1);
    expect(document.tags.map((tag: Json) => tag.name)).toContain(operation.tags[0]);
  });

  test("names its parameters", () => {
    const named = (place: string): string[] =>
      operation.parameters.filter((parameter: Json) => parameter.in === place).map((parameter: Json) => parameter.name);
    expect(named("path").map((name) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    expect(named("query").sort()).toEqual(query);
    for (const parameter of operation.parameters) {
      expect(["path", "query", "header"]).toContain(parameter.in);
      expect(parameter.schema).toBeObject();
      const isNeeded = parameter.in === "path" || (path.endsWith("/search") && parameter.name === "q");
      expect(parameter.required ?? false).toBe(isNeeded);
    }
  });

  test("names its responses, and every way in which it rejects", () => {
    const isWrite = /\/(verify-key|\$preview|\$change\/preview|\$test|\$try|\$show|\$payment-portal)$/.test(path)
      ? false
      : method !== "get";
    const isList = query.includes("limit");
    const returnsDeleted = path.endsWith("/members/{memberId}");
    const isStart = method === "post" && path === "/v1/sign-in";
    const success =
      (method === "delete" && !returnsDeleted) || path.endsWith("/roll-key") ? ["204"] : [isStart ? "202" : "200"];
    const expected = [
      ...success,
      ...(/\/(keys|consumers)\/\$(update|delete|leaked)$/.test(path) ? ["202"] : []),
      ...(method === "get" && !withoutEtag.test(path) && (!isList || isFeedOfOne.test(path)) ? ["304"] : []),
      ...(isUpload || /^\/v1\/(sign-in|invitations)/.test(path) ? [] : ["401", "429"]),
      ...(path === "/v1/sign-in/code" ? ["401"] : []),
      ...(isStart ? ["429"] : []),
      ...["400", "404", "500", "503"],
      ...(method === "get" && path === "/v1/sign-in" ? [] : ["403"]),
      ...(isWrite || query.includes("key-format") || /\$test$|\$change\/preview$|\$payment-portal$/.test(path)
        ? ["409"]
        : []),
      ...(["patch", "delete"].includes(method) || (method === "put" && !isUpload) ? ["412"] : []),
      ...(operation.requestBody ? ["413"] : []),
      ...(operation.requestBody && !isUpload ? ["415"] : []),
      ...(isWrite && method === "post" ? ["422"] : []),
      ...(path.endsWith("/$try") ? ["504"] : []),
    ];
    const ofExchange = ["200", "400", "404", "413", "429", "500", "503"];
    const ofStripe = ["200", "400", "404", "413", "500", "503"];
    const ofCheckout = ["200", ...(method === "get" ? ["304", "409"] : ["413"]), "400", "404", "500", "503"].sort();
    const special = isExchange(path)
      ? ofExchange
      : isOfStripe(path)
        ? ofStripe
        : path.startsWith("/v1/checkouts/")
          ? ofCheckout
          : undefined;
    expect(Object.keys(operation.responses).sort()).toEqual(special ?? expected.sort());

    for (const [status, response] of Object.entries<Json>(operation.responses)) {
      expect(response.description).toMatch(/\S/);
      const types = Object.keys(response.content ?? {});
      const bodiless = ["204", "304"].includes(status);
      const type = Number(status) < 400 ? "application/json" : "application/problem+json";
      const streamed = status === "200" && query.includes("follow") ? ["text/event-stream"] : [];
      const tables = status === "200" && path.endsWith("/audit-log") ? ["text/csv", "application/jsonl"] : [];
      const exported = status === "200" && csvPaths.includes(path) ? ["text/csv"] : [];
      const documents =
        status === "200" && method === "get" && path.endsWith("/invoices/{invoiceId}") ? ["text/html", "text/csv"] : [];
      const ofOAuth = isExchange(path) && ["400", "503"].includes(status) ? ["application/json"] : [];
      const page = status === "200" && method === "get" && path.startsWith("/v1/checkouts/") ? ["text/html"] : [];
      const others = [...streamed, ...tables, ...exported, ...documents, ...page, ...ofOAuth];
      expect([status, types]).toEqual([status, bodiless ? [] : [type, ...others]]);
      if (Number(status) >= 400) expect(response.description).toMatch(/^`[a-z_]+`: /);
    }
  });

  test("has examples that keep to their own schemas", () => {
    const contents = [operation.requestBody, operation.responses[200]]
      .filter((part) => part !== undefined)
      .map((part) => part.content["application/json"] ?? part.content["application/x-www-form-urlencoded"])
      .filter((content) => content?.schema !== undefined || !(path.endsWith("/{archive}") || isOfStripe(path)));
    for (const { schema, example } of contents) {
      expect(example).toBeDefined();
      const validate = schemas().compile(anchored(schema));
      validate(example);
      expect(validate.errors).toBeNull();
    }
  });
});

/** The examples of the reference must work when pasted. */
describe("the example of a request is accepted:", () => {
  const client = () => server.client.as(operatorToken);
  const bucket = "/v1/accounts/default/key-buckets/examples";
  const values: Record<string, string> = { accountName: "default", bucketName: "examples" };

  /** Begins a canary release, and returns what the example of an operation on it must name. */
  async function withCanary(path: string): Promise<object> {
    const deployment = `/v1/deployments/${values.deploymentName}`;
    const traffic = `${deployment}/traffic?accountName=default`;
    const live = (await client().get(traffic)).body.liveVersionNumber;
    const splits = [live, live === 1 ? 2 : 1].map((versionNumber) => ({ versionNumber, weight: 1 }));
    await client().raw("PUT", traffic, JSON.stringify({ splits }));
    return path.endsWith("/$test") ? { versionNumber: live } : {};
  }

  /** Operations of billing use up what they are called for: a draft, open invoices, an active subscription. */
  async function prepareBilling(bucket: string): Promise<void> {
    await setProfile(server.client);
    const plan = await createPlan(server.client, bucket, { ...monthly("10.00"), rates: { requests: perUnit("0.01") } });
    const billed = await subscribe(server.client, bucket, [plan], { customerKey: "billed" });
    const [open] = await invoicesOf(server.client, bucket, `?subscriptionId=${billed.id}`);
    const voided = await subscribe(server.client, bucket, [plan], { customerKey: "voided" });
    const [other] = await invoicesOf(server.client, bucket, `?subscriptionId=${voided.id}`);
    const given = await subscribe(server.client, bucket, [plan], { customerKey: "given-up" });
    const [givenUp] = await invoicesOf(server.client, bucket, `?subscriptionId=${given.id}`);
    await moveTo(server.client, bucket, billed.nextBillingCycle);
    const [draft] = await invoicesOf(server.client, bucket, "?status=draft");
    const units = { meter: "requests", amount: 5, funding: "paid" };
    const { body: grant } = await server.client.post(`${bucket}/customers/billed/grants`, units);
    Object.assign(values, { mode: "test", customerKey: "billed", invoiceId: open.id, grantId: grant.id });
    Object.assign(values, { billedId: billed.id, draftId: draft.id, voidedId: other.id, givenUpId: givenUp.id });
  }

  /** The values for operations that another one would make impossible. */
  function valuesOf(path: string): Record<string, string | undefined> {
    if (path.endsWith("$finalize")) return { ...values, invoiceId: values.draftId };
    if (path.endsWith("$mark-uncollectible")) return { ...values, invoiceId: values.givenUpId };
    if (path.endsWith("$void")) return { ...values, invoiceId: values.voidedId };
    return /\$change|\$cancel|\$resume/.test(path) ? { ...values, subscriptionId: values.billedId } : values;
  }

  beforeAll(async () => {
    const holder = await client().post(`${bucket}/consumers?with-api-key=true`, {
      name: "holder",
      managers: [{ sub: "holder" }],
    });
    values.keyId = holder.body.apiKeys[0].id;
    values.managerId = holder.body.managers[0].id;
    const invited = await client().post(`${bucket}/consumers`, { name: "invited", managers: ["new@acme.example"] });
    values.inviteId = invited.body.managerInvites[0].id;

    const metering = await server.client.post("/v1/metering", { isTest: true });
    values.bucketId = metering.body.id;
    const meters = { requests: { max: 10 } };
    const base = { label: "Base", planExternalId: "price_base", meters };
    const plan = await server.client.post(`/v1/metering/${values.bucketId}/plans`, base);
    values.planId = plan.body.id;
    const subscription = await server.client.post(`/v1/metering/${values.bucketId}/subscriptions`, {
      ...exampleOf("post", `${M}/subscriptions`),
      planIds: [values.planId],
      planExternalIds: ["price_base"],
      subscriptionExternalId: "sub_base",
    });
    values.subscriptionId = subscription.body.id;
    await prepareBilling(`/v1/metering/${values.bucketId}`);

    const files = { "openapi.json": openApi({ "/": { "x-tollgate": { upstream: "http://127.0.0.1:1" } } }) };
    const { name } = await deploy(server, { project: "examples", branch: "main" }, files);
    await deploy(server, { project: "examples", branch: "main" }, files);
    values.deploymentName = name;
    values.staging = (await deploy(server, { project: "examples", branch: "staging" }, files)).name;

    const domain = { host: "www.acme.example", deploymentName: name };
    const view = { name: "All keys", page: "keys", search: "" };
    values.viewId = (await client().post("/v1/accounts/default/views", view)).body.id;
    const plan0 = { configuration: { version: 1 } };
    values.configurationPlanId = (await client().post("/v1/accounts/default/configuration/$plan", plan0)).body.planId;
    const member = { email: "ada@examples.example", role: "reader" };
    values.memberId = (await client().post("/v1/accounts/default/members", member)).body.id;
    values.domainId = (await client().post("/v1/accounts/default/domains", domain)).body.id;
    const issuer = { issuer: "https://ci.example", subject: "job", role: "editor" };
    values.trustedIssuerId = (await client().post("/v1/accounts/default/trusted-issuers", issuer)).body.id;

    await client().raw("PUT", `${bucket}/portal`, JSON.stringify({ title: "Weather" }));

    // No server listens there.
    const webhooks = "/v1/accounts/default/webhooks";
    const webhook = await client().post(webhooks, { url: "http://127.0.0.1:9/", events: ["*"] });
    values.webhookId = webhook.body.id;
    values.deliveryId = (await client().post(`${webhooks}/${values.webhookId}/test`)).body.id;
  });

  const exampleOf = (method: string, path: string): Json =>
    operationAt(method, path).requestBody.content["application/json"].example;

  /** Plan ids are generated by the server, so the example's id is replaced. */
  const goldPlans = async (): Promise<Json> => {
    const path = `/v1/metering/${values.bucketId}/plans?planExternalId=price_gold`;
    return { planIds: (await server.client.get(path)).body.data.map((plan: Json) => plan.id) };
  };

  const withBody = endpoints.filter(
    ([method, path]) =>
      (method === "post" || method === "patch") &&
      !isForOwnPages(method, path) &&
      // They need Stripe, and have separate tests.
      !isOfStripe(path) &&
      !path.endsWith("$payment-portal"),
  );
  test.each(withBody)("%s %s", async (method, path) => {
    const example = exampleOf(method, path);
    if (path === `${M}/subscriptions`) Object.assign(example, await goldPlans());
    if (path === `${A}/configuration/$apply`) Object.assign(example, { planId: values.configurationPlanId });
    // Deployment names are generated, too.
    if (path === `${A}/domains`) Object.assign(example, { deploymentName: values.deploymentName });
    if (path === `${A}/domains/{domainId}`)
      for (const mount of example.mounts ?? []) mount.deploymentName = values.deploymentName;
    if (path === `${D}/$promote`) Object.assign(example, { from: values.staging });
    if (path === `${P}/portal/sessions` || path === `${P}/portal/$view`)
      Object.assign(example, { consumerName: "holder" });
    if (path.includes("{accessRequestId}"))
      values.accessRequestId = (
        await client().post(`${bucket}/portal/access-requests`, { email: `${path.split("$")[1]}@acme.example` })
      ).body.id;
    if (path === `${D}/$try`)
      Object.assign(example.key, { bucketName: "examples", consumerName: "holder", keyId: values.keyId });
    if (path.startsWith(`${D}/traffic/`)) Object.assign(example, await withCanary(path));
    const consumerName = path.includes("{inviteId}") ? "invited" : "holder";
    const address = path.replace(/\{(\w+)\}/g, (_, name) => ({ ...valuesOf(path), consumerName })[name as string]!);
    const account = path.includes("{accountName}") || path === "/v1/accounts" ? "" : "?accountName=default";
    const response = await client().raw(method.toUpperCase(), address + account, JSON.stringify(example));
    expect(response).toMatchObject({
      status: path.endsWith("/roll-key") ? 204 : path.endsWith("/$leaked") ? 202 : 200,
    });
    if (path.endsWith("/verify-key")) expect(response.body.code).toBe("not_found");
    // A version that becomes live later would end the canary release of another example.
    if (path === `${D}/deploy`) await settledStatus(client(), { project: "examples" }, response.body.statusId);
  });
});

let validator: Ajv2020 | undefined;

/** One for all tests: it takes 60 ms to read the schemas. */
function schemas(): Ajv2020 {
  validator ??= newValidator();
  return validator;
}

function newValidator(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  // Components refer to each other by their position in the document.
  ajv.addSchema({ $id: "document", components: document.components }, undefined, undefined, false);
  return ajv;
}

function anchored(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'));
}
