import type { ResponseRule } from "../../core/artifact/artifact.ts";
import { describedResponses, isJsonType } from "./described-responses.ts";
import type { ApiOperation } from "./openapi.ts";
import type { References } from "./references.ts";
import type { SchemaBundler } from "./schema-bundler.ts";

/**
 * The bodies of an operation's responses. Schemas of media types other than JSON are omitted, because only JSON is
 * validated.
 */
export function responseValidation(
  operation: ApiOperation,
  references: References,
  bundler: SchemaBundler,
): ResponseRule[] {
  return describedResponses(operation, references).map(({ statuses, response }) => {
    const types = response.member("content")?.members() ?? [];
    const content = types.map((type) => {
      const mayBeJson = isJsonType(type.name) || type.name.includes("*");
      const schema = mayBeJson ? references.resolve(type)?.member("schema") : undefined;
      return [type.name, schema ? bundler.bundle(schema) : true];
    });
    return { ...statuses, content: Object.fromEntries(content) };
  });
}
