import { z } from "zod";
import { access } from "../core/access.ts";
import { catalogue, type ProblemCode } from "../core/problems/catalogue.ts";
import { Slice } from "../lib/tasks/slices.ts";
import type { Endpoint } from "./endpoint.ts";
import { formType } from "./form.ts";
import { isForProjects } from "./project-access.ts";
import { exampleOf, problemSchema } from "./schemas.ts";

type Json = { [key: string]: unknown };

interface DocumentInformation {
  version: string;
  title: string;
  description: string;
  /** The credential of all operations that need one. */
  security: { name: string; scheme: object };
  /** The address of the server, if it is configured; otherwise the address from which the document was fetched. */
  url: string | undefined;
  /** Descriptions of the areas, in the order for readers. */
  areas: Record<string, string>;
}

/** Returns the OpenAPI 3.1 document, based on the schemas that validate requests and filter responses. Works in slices. */
export async function openApiDocument(endpoints: Endpoint[], information: DocumentInformation): Promise<Json> {
  const components = new Components();
  components.refer(problemSchema, "output");
  const paths: Record<string, Json> = {};
  const slice = new Slice();
  for (const endpoint of endpoints) {
    if (slice.isOver) await slice.next();
    paths[endpoint.path] ??= {};
    paths[endpoint.path]![endpoint.method.toLowerCase()] = operation(endpoint, components);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: information.title,
      version: information.version,
      description: information.description,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: information.url ?? "/" }],
    security: [{ [information.security.name]: [] }],
    tags: Object.entries(information.areas).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { [information.security.name]: information.security.scheme },
      schemas: components.schemas,
    },
  };
}

function operation(endpoint: Endpoint, components: Components): Json {
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.area],
    summary: endpoint.summary,
    description: [endpoint.description, whoMay(endpoint)].filter(Boolean).join("\n\n"),
    ...(endpoint.access === "anyone" ? { security: [] } : {}),
    parameters: parameters(endpoint, components),
    ...(endpoint.body ? { requestBody: requestBody(endpoint, components) } : {}),
    ...(endpoint.bodyType ? { requestBody: { required: true, content: { [endpoint.bodyType]: {} } } } : {}),
    ...(endpoint.form ? { requestBody: formBody(endpoint.form, components) } : {}),
    responses: responses(endpoint, components),
  };
}

function whoMay(endpoint: Endpoint): string {
  if (endpoint.access === "customer") return "Needs a session of the portal.";
  if (endpoint.access === "anyone") return "Needs no token.";
  const roles = `Roles: ${access[endpoint.access].join(", ")}.`;
  return isForProjects(endpoint) ? `Also with a role in the project.\n\n${roles}` : roles;
}

function parameters(endpoint: Endpoint, components: Components): Json[] {
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
    ...(pathExamples[name!] ? { example: pathExamples[name!] } : {}),
  }));
  const query = endpoint.query ? (components.inline(endpoint.query) as QuerySchema) : {};
  const inQuery = Object.entries(query.properties ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    required: query.required?.includes(name) ?? false,
    ...(description ? { description } : {}),
    schema: readableQuerySchema(name, schema),
  }));
  return [
    ...inPath,
    ...inQuery,
    ...(endpoint.path.includes("{accountName}") || ["operate", "anyone", "customer"].includes(endpoint.access)
      ? []
      : [accountParameter]),
    ...(endpoint.takesTags ? [tagParameter] : []),
    ...(takesIdempotencyKey(endpoint) ? [header("Idempotency-Key", idempotencyText(endpoint))] : []),
    ...(takesIfMatch(endpoint) ? [header("If-Match", "Fails with 412 unless the resource has this ETag.")] : []),
    ...(hasETag(endpoint) ? [header("If-None-Match", "Returns 304 if the resource still has this ETag.")] : []),
  ];
}

/** Single resources have an ETag, and their paths end in a parameter. So have those that are also returned in other types. */
function hasETag({ method, run, isList, path, otherTypes }: Endpoint): boolean {
  if (method !== "GET" || isList) return false;
  return run.kind === "stream"
    ? otherTypes !== undefined && path.endsWith("}")
    : run.kind === "read" && path.includes("{");
}

interface QuerySchema {
  properties?: Record<string, Json & { description?: string }>;
  required?: string[];
}

const pathExamples: Record<string, string> = { accountName: "default", bucketName: "main", consumerName: "acme" };

/** Query parameters are validated as text, but the document shows the type that a client sends. */
function readableQuerySchema(name: string, schema: Json): Json {
  if (name === "limit") return { type: "integer", minimum: 1, default: schema.default ?? 1000 };
  if (name === "offset") return { type: "integer", minimum: 0, default: 0 };
  const values = schema.enum as string[] | undefined;
  if (values?.includes("true") && values.includes("false")) return { type: "boolean", default: false };
  return schema;
}

const accountParameter = {
  name: "accountName",
  in: "query",
  description: "The account, for the operator. Other tokens use their own account.",
  schema: { type: "string" },
};

const tagParameter = {
  name: "tag",
  in: "query",
  description:
    '`tag.<name>=<value>`, repeatable, at most 20: all must match, as in `{"tag.plan": "gold"}`. ' +
    "Filters a list; elsewhere a mismatch is a 404.",
  style: "form",
  explode: true,
  schema: { type: "object", additionalProperties: { type: "string" } },
  // /docs pre-fills this value. A tag here would make every request from there fail.
  example: {},
};

function header(name: string, description: string): Json {
  return { name, in: "header", description, schema: { type: "string" } };
}

function requestBody(endpoint: Endpoint, components: Components): Json {
  const optional = endpoint.body!.safeParse(undefined).success;
  const media = {
    schema: components.refer(endpoint.body!, "input"),
    ...example(endpoint.examples?.request ?? exampleOf(endpoint.body!)),
  };
  return { required: !optional, content: { "application/json": media } };
}

function formBody(form: z.ZodType, components: Components): Json {
  const media = { schema: components.refer(form, "input"), ...example(exampleOf(form)) };
  return { required: true, content: { [formType]: media } };
}

function responses(endpoint: Endpoint, components: Components): Json {
  const byStatus: Record<string, Json> = {};
  const headers = {
    "x-request-id": headerOf("The id of the request, also in the log."),
    ...(endpoint.isList ? { link: headerOf('`<…>; rel="next"` if there is another page.') } : {}),
    ...(hasETag(endpoint) ? { etag: headerOf("For If-Match and If-None-Match.") } : {}),
  };
  if (endpoint.response) {
    const shown = endpoint.examples?.response ?? exampleOf(endpoint.response);
    const media = { schema: components.refer(endpoint.response, "output"), ...example(shown) };
    const others = [...(endpoint.streamType ? [endpoint.streamType] : []), ...(endpoint.otherTypes ?? [])];
    const streamed = Object.fromEntries(others.map((type) => [type, {}]));
    const success =
      endpoint.accepted === "always"
        ? { status: 202, description: "Accepted." }
        : { status: 200, description: "Done." };
    byStatus[success.status] = {
      description: success.description,
      headers,
      content: { "application/json": media, ...streamed },
    };
    if (endpoint.accepted === "for-jobs")
      byStatus[202] = {
        description: "A job was started.",
        headers,
        content: { "application/json": { schema: media.schema } },
      };
    if (hasETag(endpoint)) byStatus[304] = { description: "Not modified." };
  } else if (endpoint.streamType) {
    byStatus[200] = { description: "Done.", headers, content: { [endpoint.streamType]: {} } };
  } else {
    byStatus[204] = { description: "Success, without a body.", headers };
  }
  const codes = problemsOf(endpoint);
  for (const status of [...new Set(codes.map((code) => catalogue[code].status))].sort()) {
    const texts = codes.filter((code) => catalogue[code].status === status);
    byStatus[status] = {
      ...problemResponse(texts.map((code) => `\`${code}\`: ${catalogue[code].text}`).join("\n\n")),
      ...(problemHeaders[status] ? { headers: problemHeaders[status] } : {}),
    };
  }
  for (const [status, { description, schema }] of Object.entries(endpoint.otherResponses ?? {})) {
    const problems = byStatus[status] as { description: string; content: Json } | undefined;
    byStatus[status] = {
      ...problems,
      description: [problems?.description, description].filter(Boolean).join("\n\n"),
      content: { ...problems?.content, "application/json": { schema: components.refer(schema, "output") } },
    };
  }
  return byStatus;
}

const problemHeaders: Record<number, Json> = {
  401: { "www-authenticate": headerOf("Names the scheme, Bearer.") },
  409: { "retry-after": headerOf("The number of seconds until a retry may succeed.") },
  503: { "retry-after": headerOf("Seconds.") },
};

function headerOf(description: string): Json {
  return { description, schema: { type: "string" } };
}

function takesIdempotencyKey({ method, run, takesIdempotencyKey }: Endpoint): boolean {
  return (method === "POST" && run.kind === "write") || takesIdempotencyKey === true;
}

function idempotencyText({ run }: Endpoint): string {
  return run.kind === "write"
    ? "A retry with the same key returns the first response, for 24 hours."
    : "A retry with the same key takes nothing again, for 24 hours. All else is done again.";
}

function problemsOf(endpoint: Endpoint): ProblemCode[] {
  const codes: ProblemCode[] = ["validation_failed", "not_found"];
  if (endpoint.access === "customer") {
    codes.push("session_required", "portal_scope_missing");
    if (endpoint.run.kind === "write" && !endpoint.whileSuspended) codes.push("consumer_suspended");
  } else if (endpoint.access !== "anyone")
    codes.push("unauthenticated", "token_expired", "forbidden", "too_many_failures");
  if (endpoint.access !== "anyone" && endpoint.method !== "GET") codes.push("origin_mismatch");
  if (endpoint.access !== "anyone" && endpoint.body) codes.push("unsupported_media_type");
  if (endpoint.isForOwnPages) codes.push("origin_mismatch", "insecure_origin", "unsupported_media_type");
  if (endpoint.body) codes.push("invalid_json", "body_too_large");
  if (endpoint.form) codes.push("body_too_large");
  if (endpoint.run.kind === "write") codes.push("conflict");
  if (takesIdempotencyKey(endpoint))
    codes.push("request_in_progress", "idempotency_key_reused", "idempotent_response_lost");
  if (takesIfMatch(endpoint)) codes.push("precondition_failed");
  return [
    ...new Set([...codes, ...(endpoint.problems ?? []), "internal_error", "storage_unavailable"] as ProblemCode[]),
  ];
}

function problemResponse(description: string): Json {
  return {
    description,
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  };
}

function example(value: unknown): Json {
  return value === undefined ? {} : { example: value };
}

/** Schemas with an id are written once and referenced. */
class Components {
  readonly schemas: Record<string, unknown> = {};

  refer(schema: z.ZodType, io: "input" | "output"): unknown {
    const { $schema: _, $defs, ...root } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
    this.#define($defs);
    if (typeof root.id !== "string") return relocated(root);
    this.schemas[root.id] = relocated(root);
    return { $ref: `#/components/schemas/${root.id}` };
  }

  /** Returns the schema itself; only its members refer to components. */
  inline(schema: z.ZodType): unknown {
    const { $defs, ...root } = z.toJSONSchema(schema, { io: "input" });
    this.#define($defs);
    return relocated(root);
  }

  #define(definitions: Record<string, object> = {}): void {
    for (const [id, definition] of Object.entries(definitions)) this.schemas[id] = relocated(definition);
  }
}

/** Moves references from a schema's own definitions to the document's components. */
function relocated(schema: object): unknown {
  const text = JSON.stringify(schema, (key, value) => (key === "$schema" ? undefined : value));
  const { id: _, ...moved } = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'));
  return moved;
}

function takesIfMatch({ method, run, hasNoETag }: Endpoint): boolean {
  return run.kind === "write" && method !== "POST" && !hasNoETag;
}
