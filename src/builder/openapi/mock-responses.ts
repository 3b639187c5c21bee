import type { MockResponse } from "../../core/artifact/artifact.ts";
import type { Located } from "../documents/located.ts";
import { describedResponses, isJsonType } from "./described-responses.ts";
import { exampleOf } from "./example-value.ts";
import type { ApiDocument, ApiOperation } from "./openapi.ts";

/** The responses of an operation, for the policy `mock`: their examples, or values generated from their schemas. */
export function mockResponses(operation: ApiOperation, { references }: ApiDocument): MockResponse[] {
  return describedResponses(operation, references).map(({ statuses, response }) => {
    const { headers, body } = contentOf(response, references);
    return {
      ...statuses,
      headers: { ...headersOf(response, references), ...headers },
      ...(body !== undefined && { body }),
    };
  });
}

type References = ApiDocument["references"];

/** JSON if the operation has it, else the first media type. */
function contentOf(response: Located, references: References): Pick<MockResponse, "headers" | "body"> {
  const types = response.member("content")?.members() ?? [];
  const type = types.find(({ name }) => isJsonType(name)) ?? types[0];
  if (!type) return { headers: {} };
  const mediaType = references.resolve(type);
  const value = mediaType && exampleOf(mediaType, references);
  const contentType = type.name.includes("*") ? "application/json" : type.name;
  const text = typeof value === "string" && !isJsonType(contentType) ? value : JSON.stringify(value ?? null);
  return { headers: { "content-type": contentType }, body: text };
}

/** Headers with a value that is valid in a header; the gateway writes framing headers itself. */
function headersOf(response: Located, references: References): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const member of response.member("headers")?.members() ?? []) {
    const name = member.name.toLowerCase();
    const header = references.resolve(member);
    if (!header?.isObject || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || framing.includes(name)) continue;
    const value = exampleOf(header, references);
    const text = typeof value === "object" ? JSON.stringify(value) : String(value ?? "");
    if (text !== "" && /^[\x20-\x7e]{1,4096}$/.test(text)) headers[name] = text;
  }
  return headers;
}

const framing = ["content-type", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade"];
