import type { Endpoint } from "../../api/endpoint.ts";
import { redact, shownSecretsOf } from "../../api/redact.ts";
import { explainRequest } from "../../client/explain-request.ts";
import { maxResultBytes, toolResult } from "../../core/mcp/tools/tool-result.ts";
import type { ToolResult } from "../../core/mcp/types.ts";
import { isJsonObject, type JsonObject } from "../../lib/text/json-object.ts";
import { Body } from "../../platform/http1/message/body.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";

/** Operations that return requests to deployments. */
const returnsRequests = new Set(["getRequest", "listRequests", "listDeploymentRequests"]);

/** Converts the response of the management API to the result of a tool: without secrets, and with explanations. */
export async function resultOf(endpoint: Endpoint, response: HttpResponse, uri: string): Promise<ToolResult> {
  const { status, headers } = response;
  const body = await bytesOf(response);
  if (!body) return toolResult({ status, headers, body: Buffer.alloc(0), uri, isTooLarge: true });
  if (status >= 300) return toolResult({ status, headers, body, uri });
  return toolResult({ status, headers, body: shown(endpoint, body), uri });
}

/** Undefined if it is too large. */
async function bytesOf({ body }: HttpResponse): Promise<Buffer | undefined> {
  if (body === undefined) return Buffer.alloc(0);
  if (body instanceof Body) {
    const bytes = await body.bytes(maxResultBytes);
    return bytes && Buffer.from(bytes);
  }
  const bytes = Buffer.from(body as string);
  return bytes.length > maxResultBytes ? undefined : bytes;
}

function shown(endpoint: Endpoint, body: Buffer): Buffer {
  const secrets = shownSecretsOf(endpoint);
  const hasRequests = returnsRequests.has(endpoint.operationId);
  if ((secrets.length === 0 && !hasRequests) || body.length === 0) return body;
  const value = redact(JSON.parse(body.toString()), secrets, isMask) as JsonObject;
  return Buffer.from(JSON.stringify(hasRequests ? explained(value) : value));
}

/** Keys are masked by the operations themselves; anything else at their place is not shown. */
function isMask(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("****");
}

function explained(value: JsonObject): JsonObject {
  if (Array.isArray(value.data))
    return { ...value, data: value.data.map((each) => (isJsonObject(each) ? explained(each) : each)) };
  return { ...value, explanation: explainRequest(value as unknown as Parameters<typeof explainRequest>[0]) };
}
