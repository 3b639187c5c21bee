import type { RouteValidation } from "../../core/artifact/artifact.ts";
import type { ApiOperation } from "./openapi.ts";
import type { ApiParameter } from "./parameters.ts";
import type { References } from "./references.ts";
import type { SchemaBundler } from "./schema-bundler.ts";

type Place = RouteValidation["parameters"][number]["in"];

/** Supported parameter styles; the first is the default. */
const styles: Record<Place, string> = { path: "simple", query: "form", header: "simple", cookie: "form" };

/** OpenAPI describes these headers elsewhere, and ignores parameters with their names. */
const describedElsewhere = ["accept", "content-type", "authorization"];

export function requestValidation(
  operation: ApiOperation,
  references: References,
  bundler: SchemaBundler,
): RouteValidation {
  const parameters = operation.parameters.flatMap((parameter) => parameterOf(parameter, bundler));
  const body = operation.requestBody;
  const contents = body?.member("content")?.members() ?? [];
  if (!body) return { parameters };
  const content = Object.fromEntries(
    contents.map((mediaType) => {
      const schema = references.resolve(mediaType)?.member("schema");
      return [mediaType.name, schema ? bundler.bundle(schema) : true];
    }),
  );
  return { parameters, body: { required: body.member("required")?.value === true, content } };
}

function parameterOf(parameter: ApiParameter, bundler: SchemaBundler): RouteValidation["parameters"] {
  const { name, definition } = parameter;
  if (parameter.in === "header" && describedElsewhere.includes(name.toLowerCase())) return [];
  if (parameter.in === "querystring") {
    definition.warning(`the parameter "${name}" is not checked: it is the query as a whole`);
    return [];
  }
  const usual = styles[parameter.in];
  const style = definition.member("style")?.value ?? usual;
  const schema = definition.member("schema");
  const required = definition.member("required")?.value === true;
  const explode = (definition.member("explode")?.value ?? usual === "form") === true;
  const checked = { name, in: parameter.in, required, explode };
  if (style === usual && schema) return [{ ...checked, schema: bundler.bundle(schema) }];
  definition.warning(`the parameter "${name}" is not checked: only those with a schema and the style "${usual}" are`);
  return !schema && required ? [{ ...checked, schema: true }] : [];
}
