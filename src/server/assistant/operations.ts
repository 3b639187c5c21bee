import type { Endpoint } from "../../api/endpoint.ts";
import { showsSecrets } from "../../api/redact.ts";
import { OperationTools } from "../../core/mcp/tools/operation-tools.ts";
import type { ToolBinding } from "../../core/mcp/tools/tool-request.ts";
import type { Tool } from "../../core/mcp/types.ts";
import { secretMark } from "../../core/schemas/schemas.ts";
import { Slice } from "../../lib/tasks/slices.ts";
import { isJsonObject, type JsonObject } from "../../lib/text/json-object.ts";

/** An operation of the management API as a tool. */
export interface AssistantOperation {
  endpoint: Endpoint;
  kind: "read" | "write";
  tool: Tool;
  binding: ToolBinding;
  /** Words that find it, beside its name, texts and path. */
  words: string[];
}

/** Pages are small: a result goes into the context of a model. */
export const defaultLimit = 50;

interface Operation {
  description?: string | undefined;
  parameters: { name: string; in: string; schema: JsonObject; example?: unknown }[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonObject }> } | undefined;
  responses: JsonObject;
}

interface Document extends JsonObject {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Schemas };
}

/**
 * Returns the operations that assistants may call, by their ids, and why they may not call the others. `documentOf`
 * returns the OpenAPI document of endpoints.
 */
export async function assistantOperations(
  endpoints: Endpoint[],
  documentOf: (endpoints: Endpoint[]) => Promise<object>,
): Promise<{ operations: Map<string, AssistantOperation>; excluded: Map<string, string> }> {
  const excluded = new Map<string, string>();
  const kinds = new Map<Endpoint, "read" | "write">();
  for (const endpoint of endpoints) {
    const tool = toolKindOf(endpoint);
    if (tool.kind === "none") excluded.set(endpoint.operationId, tool.reason);
    else kinds.set(endpoint, tool.kind);
  }
  const document = (await documentOf([...kinds.keys()])) as Document;
  const slice = new Slice();
  const inputs = new SecretFreeSchemas(document.components.schemas);
  for (const endpoint of kinds.keys()) {
    if (slice.isOver) await slice.next();
    if (editOperation(endpoint, operationIn(document, endpoint), inputs)) continue;
    kinds.delete(endpoint);
    excluded.set(endpoint.operationId, "It takes a credential.");
  }
  document.components.schemas = inputs.schemas;
  const tools = new OperationTools(document);
  const operations = new Map<string, AssistantOperation>();
  for (const [endpoint, kind] of kinds) {
    if (slice.isOver) await slice.next();
    const { operationId, path, method } = endpoint;
    const { tool, binding } = tools.toolOf({ path, method, name: operationId });
    operations.set(operationId, {
      endpoint,
      kind,
      tool: withDefaults(tool, kind),
      binding,
      words: [endpoint.area, ...synonymsOf(endpoint)],
    });
  }
  return { operations, excluded };
}

function operationIn({ paths }: Document, { path, method }: Endpoint): Operation {
  return paths[path]![method.toLowerCase()]!;
}

/** Leaves what an assistant may send. Returns false if the operation needs a secret. */
function editOperation({ description }: Endpoint, operation: Operation, inputs: SecretFreeSchemas): boolean {
  operation.description = description;
  operation.responses = {};
  // ETags and idempotency keys are for programs that retry.
  operation.parameters = operation.parameters.filter((parameter) => parameter.in !== "header");
  for (const { name, schema } of operation.parameters)
    if (name === keyFormatParameter) schema.enum = (schema.enum as string[]).filter((format) => format !== "visible");
  if (!operation.requestBody) return true;
  const { required, content } = operation.requestBody;
  const schema = inputs.convert(content["application/json"]!.schema);
  if (!schema) {
    operation.requestBody = undefined;
    return !required;
  }
  operation.requestBody = { required, content: { "application/json": { schema } } };
  return true;
}

/** The account is the caller's unless it is named, and lists have short pages. */
function withDefaults(tool: Tool, kind: "read" | "write"): Tool {
  const schema = tool.inputSchema as { properties: Record<string, JsonObject>; required?: string[] };
  const properties = { ...schema.properties };
  if (properties.accountName)
    properties.accountName = { ...properties.accountName, description: "The default is the account of the token." };
  if (properties.limit) properties.limit = { ...properties.limit, default: defaultLimit };
  const required = (schema.required ?? []).filter((name) => name !== "accountName");
  return {
    ...tool,
    inputSchema: { ...schema, properties, required },
    // Some operations read with POST, as their conditions are a body.
    annotations: kind === "read" ? { readOnlyHint: true, openWorldHint: false } : { ...tool.annotations },
  };
}

/** What an operation is to an assistant, or why it is no tool. */
type ToolKind = { kind: "read" | "write" } | { kind: "none"; reason: string };

export const keyFormatParameter = "key-format";

/** Decides by access, schemas and method, so that an operation that returns a secret is no tool from the start. */
export function toolKindOf(endpoint: Endpoint): ToolKind {
  const reason = exclusionOf(endpoint);
  if (reason !== undefined) return { kind: "none", reason };
  const { run, method } = endpoint;
  return { kind: run.kind === "read" || (run.kind === "stream" && method === "GET") ? "read" : "write" };
}

function exclusionOf(endpoint: Endpoint): string | undefined {
  const { access, isForOwnPages, bodyType, form, response, notForAssistants } = endpoint;
  if (notForAssistants !== undefined) return notForAssistants;
  if (access === "anyone" || access === "customer" || isForOwnPages) return "It is not called with a token.";
  if (bodyType !== undefined || form !== undefined) return "Its body is not JSON.";
  if (response && showsSecrets(endpoint) && !masksSecrets(endpoint)) return "It returns a credential.";
  return undefined;
}

/** Keys are masked for everyone, or by a parameter whose value assistants cannot choose. */
function masksSecrets({ isMasked, query }: Endpoint): boolean {
  return isMasked === true || (query !== undefined && "shape" in query && hasKeyFormat(query.shape));
}

function hasKeyFormat(shape: unknown): boolean {
  return typeof shape === "object" && shape !== null && keyFormatParameter in shape;
}

/** Words that people use for what names, texts and paths of operations call otherwise. */
const synonyms: [part: RegExp, words: string[]][] = [
  [/consumer/i, ["customer", "client", "company", "user", "tenant"]],
  [/customer/i, ["consumer", "client", "company"]],
  [/key/i, ["credential", "secret"]],
  [/roll/i, ["rotate", "renew", "replace", "revoke", "leaked"]],
  [/^(listConsumers|search)$/m, ["find", "look", "lookup", "email", "customer"]],
  [
    /\}\/requests/,
    [
      "log",
      "rejected",
      "denied",
      "blocked",
      "failed",
      "error",
      "explain",
      "why",
      "401",
      "402",
      "403",
      "404",
      "429",
      "500",
    ],
  ],
  [/usage/i, ["consumption", "quota", "limit", "allowance", "used", "remaining", "meter", "plan", "compare"]],
  [/subscription/i, ["plan", "contract", "tier"]],
  [/plan/i, ["price", "tier", "limit", "quota"]],
  [/grant/i, ["credit", "balance", "prepaid"]],
  [/invoice/i, ["bill", "receipt", "payment"]],
  [/revenue/i, ["sales", "income", "turnover", "mrr"]],
  [/analytics/i, ["statistics", "traffic", "latency", "errors", "metrics"]],
  [/AuditLog/, ["history", "change", "changed", "changes", "who", "when"]],
  [/deployment/i, ["gateway", "api", "release"]],
  [/member/i, ["person", "people", "team", "colleague"]],
  [/manager/i, ["person", "contact", "email"]],
  [/portal/i, ["self-service", "sign-up"]],
  [/webhook/i, ["notification", "event", "callback"]],
  [/variable/i, ["environment", "setting", "configuration"]],
  [/domain/i, ["host", "certificate", "dns"]],
  [/token/i, ["access", "credential"]],
  [/delete|remove/i, ["end", "drop"]],
];

/** Returns words that should find an operation although it has others. */
export function synonymsOf({
  operationId,
  path,
  summary,
}: Pick<Endpoint, "operationId" | "path" | "summary">): string[] {
  const text = [operationId, path, summary].join("\n");
  return [...new Set(synonyms.flatMap(([part, words]) => (part.test(text) ? words : [])))];
}

type Schema = Record<string, unknown>;

/** Schemas by name, as in the components of an OpenAPI document. */
export type Schemas = Record<string, Schema>;

const prefix = "#/components/schemas/";
const combinations = ["anyOf", "oneOf", "allOf"] as const;

/**
 * Removes secret members from the schemas of request bodies. An object that requires one is removed as a whole, and so
 * is every object that requires that object.
 */
export class SecretFreeSchemas {
  /** The schemas that the converted ones refer to. */
  readonly schemas: Schemas = {};
  /** Undefined while a schema is being converted, and false if it was removed. */
  readonly #isKept = new Map<string, boolean | undefined>();

  constructor(private readonly all: Schemas) {}

  /** Returns the schema without secrets, or undefined if nothing is left. */
  convert(schema: Schema): Schema | undefined {
    if (schema[secretMark]) return undefined;
    if (typeof schema.$ref === "string") return this.#named(schema.$ref.slice(prefix.length)) ? schema : undefined;
    const converted: Schema = { ...schema };
    if (!this.#convertProperties(schema, converted)) return undefined;
    for (const name of ["items", "additionalProperties"]) {
      const inner = schema[name];
      if (!isJsonObject(inner)) continue;
      const kept = this.convert(inner);
      if (!kept) return undefined;
      converted[name] = kept;
    }
    for (const name of combinations) {
      const branches = schema[name] as Schema[] | undefined;
      if (!branches) continue;
      const kept = branches.map((branch) => this.convert(branch)).filter((branch) => branch !== undefined);
      if (kept.length === 0 || (name === "allOf" && kept.length < branches.length)) return undefined;
      converted[name] = kept;
    }
    return converted;
  }

  /** Returns false if a required property is or contains a secret. */
  #convertProperties(schema: Schema, converted: Schema): boolean {
    const { properties, required = [] } = schema as { properties?: Schemas; required?: string[] };
    if (!properties) return true;
    const kept = Object.entries(properties).map(([name, member]) => [name, this.convert(member)] as const);
    converted.properties = Object.fromEntries(kept.filter(([, member]) => member !== undefined));
    return kept.every(([name, member]) => member !== undefined || !required.includes(name));
  }

  #named(name: string): boolean {
    // A schema that contains itself is kept there, and decided by its other members.
    if (this.#isKept.has(name)) return this.#isKept.get(name) ?? true;
    this.#isKept.set(name, undefined);
    const converted = this.convert(this.all[name] ?? {});
    this.#isKept.set(name, converted !== undefined);
    if (converted) this.schemas[name] = converted;
    return converted !== undefined;
  }
}
