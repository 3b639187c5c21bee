import type { Endpoint } from "../../api/endpoint.ts";
import { showsSecrets } from "../../api/redact.ts";

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
