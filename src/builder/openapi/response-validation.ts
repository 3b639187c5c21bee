import type { ResponseRule } from "../../core/artifact/artifact.ts";
import { describedResponses, isJsonType } from "./described-responses.ts";
import type { ApiOperation } from "./openapi.ts";
import type { References } from "./references.ts";
import type { SchemaBundler } from "./schema-bundler.ts";

/** Returns the rules for the bodies of an operation's responses. Media types other than JSON accept any body. */
export function responseValidation(
  operation: ApiOperation,
  references: References,
  bundler: SchemaBundler,
): ResponseRule[] {
  return describedResponses(operation, references).map(({ statuses, response }) => {
    const mediaTypes = response.member("content")?.members() ?? [];
    const content = mediaTypes.map((mediaType) => {
      const mayBeJson = isJsonType(mediaType.name) || mediaType.name.includes("*");
      const schema = mayBeJson ? references.resolve(mediaType)?.member("schema") : undefined;
      return [mediaType.name, schema ? bundler.bundle(schema) : true];
    });
    return { ...statuses, content: Object.fromEntries(content) };
  });
}
