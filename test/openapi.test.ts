import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import Ajv2020 from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { HttpHeaders } from "../src/platform/http1/message/headers.ts";
import type { HttpRequest } from "../src/platform/http1/message/http-request.ts";
import { documentRoute } from "../src/server/dispatch/system-routes.ts";
import { A, D, endpoints, isExchange, isForOwnPages, isOfStripe, M, S } from "./support/endpoints.ts";
import { sqlite } from "./support/engines.ts";
import { startServer, type TestServer } from "./support/server.ts";

// biome-ignore lint/suspicious/noExplicitAny: the tests examine an OpenAPI document of unknown shape.
type Json = any;

/** A log below one resource is read with its ETag. */
const isFeedOfOne = /\{webhookId\}\/deliveries$/;
/** Responses that are not a single resource have no ETag. */
const withoutEtag =
  /\/source$|who-am-i$|sign-in$|\/v1\/invitations$|\/v1\/system$|analytics(\/verifications|\/models)?$|usage-series$|recurring-revenue$|\/metering\/\{bucketId\}\/usage$/;
/** Operations that also return CSV. */
const csvPaths = [
  `${S}/usage-series`,
  `${M}/usage`,
  `${M}/recurring-revenue`,
  `${M}/invoices`,
  `${M}/customers/{customerKey}/grants`,
  `${M}/customers/{customerKey}/grants/{grantId}/entries`,
  `${M}/customers/{customerKey}/credit-entries`,
  `${M}/payments`,
  `${M}/simulations/{simulationId}/customers`,
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
  ["PaymentPortal", "properties", "url"],
  ["PurchasedPack", "properties", "url"],
  ["PackPurchase", "properties", "url"],
  ["VariableSet", "properties", "value"],
  ["ConsumerCreate", "properties", "apiKeys", "items", "properties", "key"],
  ["ConfigurationPlanCreate", "properties", "secrets", "additionalProperties"],
  [
    "Configuration",
    ...["properties", "variables", "additionalProperties", "additionalProperties", "properties", "value"],
  ],
  ["LeakReport", "properties", "keys", "items"],
  ["DeploymentTry", "properties", "body"],
  ["HourlyExportCreate", "properties", "to", "properties", "credential", "properties", "secretAccessKey"],
  ["HourlyExportUpdate", "properties", "credential", "properties", "secretAccessKey"],
  ["HourlyExportCreate", "properties", "to", "properties", "credential", "properties", "sessionToken"],
  ["HourlyExportUpdate", "properties", "credential", "properties", "sessionToken"],
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

const operationsOf = (from: Json): [from: Json, method: string, path: string][] =>
  Object.entries<Json>(from.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method): [Json, string, string] => [from, method, path]),
  );

interface Bounded {
  at: string;
  maximum?: number;
  isList: boolean;
  /** Of fixed values: its maximum follows from them. */
  isOfEnum?: boolean;
}

/** The lists and records of a schema, at any depth. */
function boundedIn(from: Json, schema: Json, at = "", seen = new Set<Json>()): Bounded[] {
  const { $ref } = schema ?? {};
  if ($ref) return boundedIn(from, from.components.schemas[$ref.split("/").at(-1)], at, seen);
  if (!schema || seen.has(schema)) return [];
  seen.add(schema);
  const inner = (one: Json, name = "") => boundedIn(from, one, at + name, seen);
  const { items, properties, additionalProperties, maxItems, maxProperties } = schema;
  const isRecord = additionalProperties && !properties;
  return [
    ...(items ? [{ at, maximum: maxItems, isList: true, isOfEnum: "enum" in items }, ...inner(items, "/*")] : []),
    ...(isRecord ? [{ at, maximum: maxProperties, isList: false }] : []),
    ...Object.entries<Json>(schema.properties ?? {}).flatMap(([name, one]) => inner(one, `/${name}`)),
    ...(typeof schema.additionalProperties === "object" ? inner(schema.additionalProperties, "/*") : []),
    ...["anyOf", "oneOf", "allOf"].flatMap((key) => (schema[key] ?? []).flatMap((one: Json) => inner(one))),
  ];
}

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

  test("is compressed and revalidated, and so is the portal's and each schema", async () => {
    for (const path of ["/openapi.json", "/portal/openapi.json", "/schemas/project.json"]) {
      const get = (headers: Record<string, string>) =>
        fetch(server.url + path, { headers, decompress: false } as RequestInit);
      const plain = await get({ "accept-encoding": "identity" });
      const packed = await get({ "accept-encoding": "gzip" });
      const text = await plain.text();
      const bytes = new Uint8Array(await packed.arrayBuffer());
      expect([plain.status, plain.headers.get("content-encoding")]).toEqual([200, null]);
      expect(packed.headers.get("content-encoding")).toBe("gzip");
      expect(packed.headers.get("content-type")).toBe(plain.headers.get("content-type")!);
      expect(gunzipSync(bytes).toString()).toBe(text);
      expect(bytes.length).toBeLessThan(text.length / 2);
      const tags = [plain, packed].map(({ headers }) => headers.get("etag")!);
      expect(new Set(tags).size).toBe(2);
      for (const response of [plain, packed]) expect(response.headers.get("vary")).toBe("accept-encoding");
      for (const tag of [...tags, `W/${tags[0]}`, "*"]) {
        const known = await get({ "accept-encoding": "gzip", "if-none-match": tag });
        expect([tag, known.status, known.headers.get("etag"), await known.text()]).toEqual([tag, 304, tags[1]!, ""]);
      }
      expect((await get({ "if-none-match": '"another"' })).status).toBe(200);
    }
  });

  test("is encoded once, and responses share its bytes", async () => {
    let generated = 0;
    const route = documentRoute("application/json", () => {
      generated += 1;
      if (generated === 1) throw new Error("Out of files");
      return { generated };
    });
    const get = (encoding: string) =>
      route({ headers: new HttpHeaders({ "accept-encoding": encoding }) } as HttpRequest);
    await expect(Promise.all([get("gzip"), get("identity")])).rejects.toThrow("Out of files");
    const [plain, again, packed, packedAgain] = await Promise.all(["", "", "gzip", "gzip"].map(get));
    expect(generated).toBe(2);
    expect(String(plain!.body)).toBe('{"generated":2}');
    expect(again!.body).toBe(plain!.body);
    expect(packedAgain!.body).toBe(packed!.body);
    expect(packed!.body).not.toBe(plain!.body);
  });

  test("has only valid references", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(0);
    for (const reference of new Set(references)) {
      const target = reference.split("/").reduce<Json>((place, step) => place?.[step], document);
      expect([reference, typeof target]).toEqual([reference, "object"]);
    }
  });

  /** The lists and records in the bodies of all operations. */
  async function boundedMembers() {
    const portal: Json = await (await fetch(`${server.url}/portal/openapi.json`)).json();
    return operationsOf(document)
      .concat(operationsOf(portal))
      .flatMap(([from, method, path]) => {
        const body = from.paths[path][method].requestBody?.content["application/json"]?.schema;
        return boundedIn(from, body).map((each) => ({ ...each, isPortal: from === portal, method, path }));
      });
  }

  test("has a maximum for every list and record in a body, which is checked before the items", async () => {
    const unlimited = new Set<string>();
    const tested: string[] = [];
    for (const { at, maximum, isList, isPortal, method, path } of await boundedMembers()) {
      if (maximum === undefined) unlimited.add(`${path} ${at}`.replace(/.*\/(configuration|metadata)\b.*/, "$1"));
      if (maximum === undefined || isPortal || !/^\/\w+$/.test(at)) continue;
      const target = path.replaceAll("{accountName}", "default").replace(/\{\w+\}/g, "x");
      const items = Array(maximum + 1).fill([]);
      const members = Object.fromEntries(items.map((item, index) => [`m${index}`, item]));
      const content = JSON.stringify({ [at.slice(1)]: isList ? items : members });
      const response = await server.client.raw(method.toUpperCase(), target, content);
      const found = response.body.errors?.filter(({ pointer }: Json) => pointer.startsWith(at));
      const operation = `${method} ${path} ${at}`;
      expect([operation, response.status, found]).toEqual([
        operation,
        400,
        [{ pointer: at, detail: expect.any(String) }],
      ]);
      tested.push(operation);
    }
    // Items of a batch are checked one by one, up to its maximum; names of a configuration and the size of metadata are
    // checked before they are parsed.
    expect([...unlimited].sort()).toEqual(["/v1/metering/{bucketId}/events ", "configuration", "metadata"]);
    expect(tested.length).toBeGreaterThan(40);
  });

  test("has the maxima that docs/api.md lists", async () => {
    const found = (await boundedMembers()).flatMap(({ at, maximum, isOfEnum }) => {
      const name = at.split("/").findLast((part) => part !== "*");
      return maximum === undefined || isOfEnum || !name ? [] : [`${maximum} ${name}`];
    });
    const docs = readFileSync(join(import.meta.dir, "../docs/api.md"), "utf8");
    const rows = docs.slice(docs.indexOf("## Limits")).matchAll(/^\| ([\d,]+) \| (`.*) \|$/gm);
    const listed = rows.flatMap(([, maximum, names]) =>
      Array.from(names!.matchAll(/`(\w+)`/g), ([, name]) => `${maximum!.replaceAll(",", "")} ${name}`),
    );
    expect([...listed].sort()).toEqual([...new Set(found)].sort());
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

  test("no object has a type for other members: generated clients apply it to the named ones too", () => {
    const found: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (typeof value !== "object" || value === null) return;
      const { type, properties, additionalProperties: others } = value as Json;
      const hasNamed = type === "object" && Object.keys(properties ?? {}).length > 0;
      if (hasNamed && typeof others === "object" && Object.keys(others).length > 0) found.push(path);
      for (const [name, each] of Object.entries(value)) walk(each, `${path}/${name}`);
    };
    walk(document, "");
    expect(found).toEqual([]);
  });

  test("no schema and no parameter has a name that generated clients give to operations", () => {
    const pascal = (name: string) =>
      name[0]!.toUpperCase() + name.slice(1).replace(/[-_.](\w)/g, (_, letter) => letter.toUpperCase());
    const taken = new Set(Object.keys(document.components.schemas));
    const collisions: string[] = [];
    for (const item of Object.values(document.paths))
      for (const { operationId, parameters = [] } of Object.values(item as Record<string, Json>)) {
        const own = ["Result", "Params", "Body", "Query"].map((suffix) => pascal(operationId) + suffix);
        const enums = parameters.filter(({ schema }: Json) => schema.enum !== undefined);
        const named = enums.map(({ name }: Json) => pascal(operationId) + pascal(name));
        collisions.push(...own.filter((name) => taken.has(name) || named.includes(name)));
      }
    expect(collisions).toEqual([]);
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
        "secretAccessKey",
        "secretKey",
        "sessionToken",
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
    // The keys of analytics series (routes, statuses, consumers), and the key that a try request names by its id.
    const { Analytics, ModelAnalytics, VerificationAnalytics, DeploymentTry } = document.components.schemas;
    const others = JSON.stringify([Analytics, ModelAnalytics, VerificationAnalytics, DeploymentTry]).match(
      /"key":\{/g,
    )!;
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
    const isWrite =
      /\/(verify-key|\$preview|\$preview-mail|\$change\/preview|\$test|\$try|\$show|\$payment-portal)$/.test(path)
        ? false
        : method !== "get";
    const isList = query.includes("limit");
    const returnsDeleted = path.endsWith("/members/{memberId}");
    const isStart = method === "post" && path === "/v1/sign-in";
    const success =
      (method === "delete" && !returnsDeleted) || /\/(roll-key|\$release|\$decline)$/.test(path)
        ? ["204"]
        : [isStart ? "202" : "200"];
    const expected = [
      ...success,
      ...(/\/(keys|consumers)\/\$(update|delete|leaked)$|\/\$simulate$/.test(path) ? ["202"] : []),
      ...(method === "get" && !withoutEtag.test(path) && (!isList || isFeedOfOne.test(path)) ? ["304"] : []),
      ...(isUpload || /^\/v1\/(sign-in|invitations\/\$)/.test(path) ? [] : ["401", "429"]),
      ...(path === "/v1/sign-in/code" ? ["401"] : []),
      ...(isStart ? ["429"] : []),
      ...["400", "404", "500", "503"],
      ...(method === "get" && path === "/v1/sign-in" ? [] : ["403"]),
      ...(isWrite ||
      query.includes("key-format") ||
      (path.startsWith(M) && path.endsWith("/invoices/{invoiceId}")) ||
      /verify-key$|\/source$|\$test$|\$change\/preview$|\$payment-portal$/.test(path)
        ? ["409"]
        : []),
      ...((["patch", "delete"].includes(method) && !path.endsWith("/sessions/{sessionId}")) ||
      (method === "put" && !isUpload)
        ? ["412"]
        : []),
      ...(operation.requestBody ? ["413"] : []),
      ...(operation.requestBody && !isUpload ? ["415"] : []),
      ...((isWrite && method === "post") || path.endsWith("/verify-key") ? ["422"] : []),
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
      const success = path.endsWith("/source") ? "application/gzip" : "application/json";
      const type = Number(status) < 400 ? success : "application/problem+json";
      const streamed = status === "200" && query.includes("follow") ? ["text/event-stream"] : [];
      const tables = status === "200" && path.endsWith("/audit-log") ? ["text/csv", "application/jsonl"] : [];
      const exported = status === "200" && method === "get" && csvPaths.includes(path) ? ["text/csv"] : [];
      const documents =
        status === "200" && method === "get" && path.endsWith("/invoices/{invoiceId}")
          ? ["text/html", "text/csv", "application/pdf"]
          : [];
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
      .filter(
        (content) => content?.schema !== undefined || !(/\/(\{archive\}|source)$/.test(path) || isOfStripe(path)),
      );
    for (const { schema, example } of contents) {
      expect(example).toBeDefined();
      const validate = schemas().compile(anchored(schema));
      validate(example);
      expect(validate.errors).toBeNull();
    }
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
