import type { ResponseStatuses } from "../../core/artifact/artifact.ts";
import type { Located } from "../documents/located.ts";
import type { ApiOperation } from "./openapi.ts";
import type { References } from "./references.ts";

/** Returns the responses that an operation describes, each with its statuses. */
export function describedResponses(
  { definition }: ApiOperation,
  references: References,
): { statuses: ResponseStatuses; response: Located }[] {
  const responses = definition.member("responses")?.members() ?? [];
  return responses
    .filter(({ name }) => /^(?:[2-5]\d\d|[2-5]XX|default)$/.test(name))
    .flatMap((member) => {
      const response = references.resolve(member);
      return response?.isObject ? { statuses: statusesOf(member.name), response } : [];
    });
}

function statusesOf(name: string): ResponseStatuses {
  if (name === "default") return {};
  return name.endsWith("XX") ? { statusClass: Number(name[0]) } : { status: Number(name) };
}

export function isJsonType(mediaType: string): boolean {
  return /^[^/]+\/(?:json|[^/;]+\+json)\s*(?:;|$)/i.test(mediaType);
}
