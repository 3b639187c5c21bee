import { isJsonObject, type JsonObject } from "../../lib/text/json-object.ts";
import { duplicateMember, maxParts, measureJson } from "../json-schema/json-text.ts";
import { errorReply, statusOf } from "./replies.ts";
import {
  errorCodes,
  latestHandshakeRevision,
  type McpReply,
  type McpRequest,
  type Revision,
  revisions,
  statelessRevision,
} from "./types.ts";

const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Returns the text of a header value that may be encoded in Base64. Undefined if it is not valid. */
function nameInHeader(value: string): string | undefined {
  const text = encoded.exec(value)?.[1];
  if (text === undefined) return value.startsWith("=?base64?") && value.endsWith("?=") ? undefined : value;
  const bytes = Buffer.from(text, "base64");
  // Lenient decoding would let two values mean the same name.
  if (bytes.toString("base64") !== text) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Members of `_meta`. */
export const metaMembers = {
  version: "io.modelcontextprotocol/protocolVersion",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  client: "io.modelcontextprotocol/clientInfo",
  server: "io.modelcontextprotocol/serverInfo",
};

/** Limits what a response repeats, and what is kept of a client. */
const maxTextLength = 256;

/** The member of `params` that the header `mcp-name` repeats. */
const namedBy: Partial<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

interface MessageHeaders {
  get(name: string): string | null;
}

/** Thrown for a message that is not a request. */
class Rejected extends Error {
  constructor(readonly reply: McpReply) {
    super();
  }
}

/**
 * Returns the request of a message, or the response to a message that is no valid request: a rejection, or 202 for a
 * notification.
 */
export function readMessage(headers: MessageHeaders, body: Uint8Array): McpRequest | McpReply {
  try {
    return readRequest(headers, parse(headers, body));
  } catch (error) {
    if (error instanceof Rejected) return error.reply;
    throw error;
  }
}

function invalid(message: string, code: number = errorCodes.invalidRequest, status = 400): Rejected {
  return new Rejected(errorReply(undefined, status, code, message));
}

function parse(headers: MessageHeaders, body: Uint8Array): JsonObject {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    throw invalid("The content type must be application/json.", errorCodes.invalidRequest, 415);
  const { isTooDeep, parts } = measureJson(body);
  if (isTooDeep) throw invalid("The message is nested too deeply.");
  if (parts > maxParts) throw invalid(`The message has more than ${maxParts} members, texts, objects and arrays.`);
  let text: string;
  let message: unknown;
  try {
    text = decoder.decode(body);
    message = JSON.parse(text);
  } catch {
    throw invalid("The message is not valid JSON.", errorCodes.parseError);
  }
  if (Array.isArray(message)) throw invalid("Batches are not supported: send one message per request.");
  if (!isJsonObject(message) || message.jsonrpc !== "2.0") throw invalid("The message is not JSON-RPC 2.0.");
  // Proxies that read the message may use another one of two members with the same name.
  const duplicate = duplicateMember(text);
  if (duplicate !== undefined) throw invalid("The message has two members with the same name in one object.");
  return message;
}

function readRequest(headers: MessageHeaders, message: JsonObject): McpRequest | McpReply {
  const { id, method, params = {} } = message;
  if (typeof method !== "string") throw invalid("The message is neither a request nor a notification.");
  if (!("id" in message)) {
    if (method.startsWith("notifications/")) return { status: 202, headers: {} };
    throw invalid("The request has no id.");
  }
  if (!isId(id)) throw invalid(`The id must be an integer or a text of at most ${maxTextLength} characters.`);
  const reject = (code: number, text: string, data?: unknown, status = 400) =>
    new Rejected(errorReply({ id }, status, code, text, data));
  if (!isJsonObject(params)) throw reject(errorCodes.invalidParams, "params must be an object.");
  const meta = params._meta ?? {};
  if (!isJsonObject(meta)) throw reject(errorCodes.invalidParams, "params._meta must be an object.");
  const sent = headers.get("mcp-protocol-version");
  const named = meta[metaMembers.version];
  const request = { id, method, params, clientCapabilities: {} };
  if (method === "initialize" && named === undefined && sent !== statelessRevision)
    return { ...request, ...handshakeOf(params, reject), isStateless: false };
  if (sent === null) throw reject(errorCodes.headerMismatch, "The header MCP-Protocol-Version is missing.");
  if (named !== undefined && named !== sent)
    throw reject(errorCodes.headerMismatch, `The header MCP-Protocol-Version and _meta name different revisions.`);
  const revision = revisions.find((each) => each === sent);
  if (revision === undefined)
    throw reject(errorCodes.unsupportedVersion, "This revision of the protocol is not supported.", {
      supported: revisions,
      requested: sent.slice(0, maxTextLength),
    });
  if (revision !== statelessRevision) return { ...request, revision, isStateless: false };
  if (named === undefined)
    throw reject(
      errorCodes.invalidParams,
      `params._meta has no "${metaMembers.version}", the revision of the request.`,
    );
  const clientCapabilities = meta[metaMembers.capabilities];
  if (!isJsonObject(clientCapabilities))
    throw reject(errorCodes.invalidParams, `params._meta has no "${metaMembers.capabilities}".`);
  const mismatch = headerMismatch(headers, request);
  if (mismatch !== undefined) throw reject(errorCodes.headerMismatch, mismatch);
  return { ...request, revision, isStateless: true, clientCapabilities, ...clientOf(meta[metaMembers.client]) };
}

function isId(id: unknown): id is string | number {
  return typeof id === "string" ? id.length <= maxTextLength : Number.isSafeInteger(id);
}

/** The revision for a client that begins with `initialize`. */
function handshakeOf(
  { protocolVersion, clientInfo }: JsonObject,
  reject: (code: number, text: string, data?: unknown, status?: number) => Rejected,
): Pick<McpRequest, "revision" | "client"> {
  const status = statusOf({ revision: latestHandshakeRevision }, 400);
  if (typeof protocolVersion !== "string")
    throw reject(errorCodes.invalidParams, "params.protocolVersion must be a text.", undefined, status);
  const known = revisions.find((each) => each === protocolVersion && each !== statelessRevision);
  const revision: Revision = known ?? latestHandshakeRevision;
  return { revision, ...clientOf(clientInfo) };
}

function clientOf(info: unknown): Pick<McpRequest, "client"> {
  if (!isJsonObject(info) || typeof info.name !== "string" || info.name === "") return {};
  const version = typeof info.version === "string" ? { version: info.version.slice(0, maxTextLength) } : {};
  return { client: { name: info.name.slice(0, maxTextLength), ...version } };
}

/** Headers repeat parts of the message for proxies, which must not decide by other values than the server. */
function headerMismatch(headers: MessageHeaders, { method, params }: Pick<McpRequest, "method" | "params">) {
  const sentMethod = headers.get("mcp-method");
  if (sentMethod === null) return "The header Mcp-Method is missing.";
  if (sentMethod !== method) return "The header Mcp-Method and the message name different methods.";
  const member = namedBy[method];
  if (member === undefined) return undefined;
  const sentName = headers.get("mcp-name");
  if (sentName === null) return "The header Mcp-Name is missing.";
  if (nameInHeader(sentName) !== params[member]) return `The header Mcp-Name and params.${member} are different.`;
  return undefined;
}
