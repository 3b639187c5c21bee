import { afterAll, expect, test } from "bun:test";
import { openTestControlPlane } from "../../../test/support/control-plane.ts";
import { showsSecrets } from "../../api/redact.ts";
import { allows } from "../../core/access.ts";
import { isJsonObject, type JsonObject } from "../../lib/text/json-object.ts";
import { indexOf } from "./management-tools.ts";
import { assistantOperations } from "./operations.ts";

const { controlPlane, close } = await openTestControlPlane();
afterAll(close);
const { endpoints, documentOf } = controlPlane;

const { operations, excluded } = await assistantOperations(endpoints, documentOf);
const index = indexOf(operations);

const returnsCredential = "It returns a credential.";
const takesCredential = "It takes a credential.";
const withoutToken = "It is not called with a token.";

/** Operations that are no tools, and why. New ones are excluded by the same rules, others have to be listed. */
const expected: Record<string, string> = {
  createToken: returnsCredential,
  createConsumer: returnsCredential,
  createKey: returnsCredential,
  createKeys: returnsCredential,
  rollOneKey: returnsCredential,
  inviteMember: returnsCredential,
  inviteMemberAgain: returnsCredential,
  openPaymentPortal: returnsCredential,
  purchaseSubscription: returnsCredential,
  requestSourceUpload: returnsCredential,
  testVersion: returnsCredential,
  createPortalSession: returnsCredential,
  viewPortal: returnsCredential,
  createWebhook: returnsCredential,
  rotateWebhookSecret: returnsCredential,
  verifyKey: takesCredential,
  reportLeakedKeys: takesCredential,
  setVariable: takesCredential,
  exchangeToken: withoutToken,
  showInvitation: withoutToken,
  acceptInvitation: withoutToken,
  createSession: withoutToken,
  getSignInMethods: withoutToken,
  startSignIn: withoutToken,
  signInWithCode: withoutToken,
  signInWithLink: withoutToken,
  openCheckout: withoutToken,
  submitCheckout: withoutToken,
  uploadSource: withoutToken,
  acceptOwnInvitation: "Only a person may accept an invitation.",
  declineInvitation: "Only a person may decline an invitation.",
  planConfiguration: "A plan is applied by its id, which does not show what it changes.",
  applyConfiguration: "The id of a plan does not show what it changes.",
  downloadVersionSource: "Its response is an archive.",
  listTestMails: "Mail contains addresses that sign in or pay.",
  tryDeployment: "The response is that of the API, which may be a credential.",
};

test("operations that return or take credentials are no tools, nor are those without a token", () => {
  const byRule = new Set([returnsCredential, takesCredential, withoutToken]);
  const listed = [...excluded].filter(([operationId, reason]) => operationId in expected || !byRule.has(reason));
  expect(Object.fromEntries(listed)).toEqual(expected);
});

test("tools whose results have marked values are those that mask them", () => {
  const marked = [...operations.values()].filter(({ endpoint }) => showsSecrets(endpoint));
  const reads = ["getConfiguration", "getConsumer", "getKey", "getPackPurchase"];
  reads.push("listBucketKeys", "listConsumers", "listKeys", "listPackPurchases");
  const writes = ["deleteConsumers", "deleteKeys", "updateConsumer", "updateConsumers", "updateKey", "updateKeys"];
  expect(marked.map(({ endpoint }) => endpoint.operationId).toSorted()).toEqual([...reads, ...writes].toSorted());
});

test("readers can call no operation that returns a credential, masked ones apart", () => {
  // All others are tools, whose results the test of their members looks through.
  const readable = endpoints.filter((each) => allows(each.access, "reader") && excluded.has(each.operationId));
  // Sessions that readers create may only read.
  const sessions = ["createPortalSession", "viewPortal"];
  const others = ["acceptOwnInvitation", "declineInvitation", "planConfiguration"];
  expect(readable.map(({ operationId }) => operationId).toSorted()).toEqual([...sessions, ...others].toSorted());
});

/** Names of members that usually are credentials or addresses that sign in. */
const suspicious = /(secret|password|token|credential|code|link|html|url|uri)$/i;

/** Such members in results that are neither, with the name before. A new one has to be marked with `secret`, or listed here. */
const harmless = new Set([
  // Addresses that anyone may know, and those of the operator's own systems.
  ...["to.url", "leak.url", "tokenIssuers.jwksUrl", "termsUrl", "links.url", "webhookUrl", "target.url", "targets.url"],
  ...["request.url", "webhooks.url", "portals.termsUrl", "configuration.termsUrl"],
  // What visitors of a portal see.
  ...["site.termsUrl", "apis.url", "example.url"],
  // A mail to an invented customer.
  "html",
  // The provider's page of an invoice does not sign the user in.
  "collection.url",
  // Parts of addresses, the codes of problems, and the source of a version.
  ...["address.postalCode", "code", "data.code", "contents.code", "decisions.code", "observed.code"],
]);

/**
 * Operations whose `url` is the public address of a deployment or a portal, or that of a webhook's endpoint.
 */
const hasPublicUrl = new Set(
  `getDeployment getDeploymentStatus listDeployments listAccountDeployments rollBackDeployment listPortals getPortal setPortal
  listWebhooks getWebhook updateWebhook`.split(/\s+/),
);

test("results of tools have no member that looks like a credential", async () => {
  const found = new Set<string>();
  const document = (await documentOf(endpoints)) as {
    paths: Record<string, Record<string, JsonObject>>;
    components: JsonObject;
  };
  for (const { endpoint } of operations.values()) {
    const { responses } = document.paths[endpoint.path]![endpoint.method.toLowerCase()] as { responses: JsonObject };
    for (const path of membersOf((responses["200"] ?? responses["202"]) as JsonObject, document)) {
      const names = path.split(".");
      if (!suspicious.test(names.at(-1)!)) continue;
      const isPublic = hasPublicUrl.has(endpoint.operationId) && (path === "url" || path === "data.url");
      if (!isPublic && !harmless.has(names.slice(-2).join("."))) found.add(`${endpoint.operationId} ${path}`);
    }
  }
  expect([...found]).toEqual([]);
});

/** The paths of members in the JSON of a response that are not marked as secret. */
function membersOf(response: JsonObject | undefined, document: JsonObject): string[] {
  const schemas = (document.components as { schemas: JsonObject }).schemas;
  const walk = (schema: unknown, path: string, within: string[]): string[] => {
    if (!isJsonObject(schema) || schema["x-secret"]) return [];
    if (typeof schema.$ref === "string") {
      const name = schema.$ref.split("/").at(-1)!;
      return within.includes(name) ? [] : walk(schemas[name], path, [...within, name]);
    }
    const properties = isJsonObject(schema.properties) ? schema.properties : {};
    return [
      ...Object.entries(properties).flatMap(([name, member]) => [
        ...(isJsonObject(member) && !member["x-secret"] && canBeText(member) ? [`${path}${name}`] : []),
        ...walk(member, `${path}${name}.`, within),
      ]),
      ...[schema.items, schema.additionalProperties].flatMap((each) => walk(each, path, within)),
      ...["anyOf", "oneOf", "allOf"].flatMap((key) =>
        ((schema[key] as unknown[] | undefined) ?? []).flatMap((each) => walk(each, path, within)),
      ),
    ];
  };
  const content = response?.content as Record<string, JsonObject> | undefined;
  return walk(content?.["application/json"]?.schema, "", []);
}

function canBeText({ type }: JsonObject): boolean {
  return type === undefined || type === "string";
}

test("POST operations that only read are read tools, and everything else that is not GET is a write", () => {
  const reads = [...operations.values()].filter(({ kind }) => kind === "read").map(({ endpoint }) => endpoint);
  const posts = reads.filter(({ method }) => method !== "GET").map(({ operationId }) => operationId);
  expect(posts.toSorted()).toEqual([
    "previewBillingMail",
    "previewPlanChange",
    "previewPortal",
    "previewPortalMail",
    "previewSubscriptionChange",
  ]);
});

test("no argument takes a credential, and keys cannot be asked for", () => {
  const texts = [...operations.values()].map(({ tool }) => JSON.stringify(tool));
  expect(texts.filter((text) => text.includes("x-secret") || text.includes('"visible"'))).toEqual([]);
  const { tool } = operations.get("createExport")!;
  expect(JSON.stringify(tool.inputSchema)).not.toContain("secretAccessKey");
  expect(operations.get("setPortal")!.tool.inputSchema.properties).toHaveProperty("oidc");
});

test.each([
  ["find a customer", ["listConsumers", "search", "listCustomers"]],
  ["find customer by email", ["listConsumers"]],
  ["why was a request rejected", ["listRequests", "getRequest"]],
  ["explain 429", ["listRequests", "getRequest", "listDeploymentRequests"]],
  ["compare usage with plan", ["getUsage", "listUsage"]],
  ["quota used by subscription", ["getUsage"]],
  ["rotate api key", ["rollKey"]],
  ["roll key of consumer", ["rollKey"]],
  ["who changed it", ["listAuditLog"]],
  ["unpaid invoices", ["listInvoices"]],
  ["rollKey", ["rollKey"]],
])("%s finds %p", async (query, wanted) => {
  const found = (await index.find(query, new Set(operations.keys()))).map(({ operationId }) => operationId);
  const first = found.slice(0, 5);
  expect({ first, has: wanted.filter((each) => first.includes(each)).length > 0 }).toEqual({ first, has: true });
});
