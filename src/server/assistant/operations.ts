import type { Endpoint } from "../../api/endpoint.ts";
import { OperationTools } from "../../core/mcp/tools/operation-tools.ts";
import type { ToolBinding } from "../../core/mcp/tools/tool-request.ts";
import type { Tool } from "../../core/mcp/types.ts";
import { Slice } from "../../lib/tasks/slices.ts";
import type { JsonObject } from "../../lib/text/json-object.ts";
import { synonymsOf } from "./synonyms.ts";
import { keyFormatParameter, toolKindOf } from "./tool-kinds.ts";
import { type Schemas, SecretFreeSchemas } from "./without-secrets.ts";

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
