import { anyMethod } from "../../core/artifact/artifact.ts";
import type { DescribedParameter, OperationPage } from "../../core/artifact/site.ts";
import type { Located } from "../documents/located.ts";
import { briefExampleOf } from "../openapi/example-value.ts";
import type { ApiDocument, ApiOperation } from "../openapi/openapi.ts";
import { SchemaDescriber } from "./describe-schema.ts";
import { descriptionOf } from "./description.ts";
import { exampleTarget, parameterExample, requiredHeaders } from "./example-target.ts";
import { samplesOf } from "./samples.ts";
import type { SchemaPages } from "./schema-pages.ts";

const maxExample = 20_000;

interface OperationContext {
  api: ApiDocument;
  schemas: SchemaPages;
  /** The header that the operation requires a key in. */
  keyHeader: OperationPage["keyHeader"];
}

type Content = OperationPage["responses"][number]["contents"][number];

/** Everything that the page of an operation shows. */
export function describeOperation(
  operation: ApiOperation,
  { api, schemas, keyHeader }: OperationContext,
): OperationPage {
  const { definition, operationId } = operation;
  const { references } = api;
  const describer = new SchemaDescriber(api, schemas);
  const method = operation.method === anyMethod ? "GET" : operation.method;
  const { target } = exampleTarget(operation, references);
  const parameters = operation.parameters.map((parameter): DescribedParameter => {
    const schema = parameter.definition.member("schema") ?? firstContent(parameter.definition)?.member("schema");
    const { text, isGiven } = parameterExample(parameter, references);
    const description = descriptionOf(parameter.definition.member("description"));
    const isRequired = parameter.in === "path" || parameter.definition.member("required")?.value === true;
    return {
      name: parameter.name,
      in: parameter.in,
      isRequired,
      ...(parameter.definition.member("deprecated")?.value === true && { isDeprecated: true }),
      ...(description && { description }),
      schema: schema ? describer.describe(schema) : { type: "any" },
      ...((isGiven || isRequired) && { example: text }),
    };
  });
  const body = operation.requestBody && describeBody(operation.requestBody, describer, api);
  const security = securityOf(definition, api);
  const headers = requiredHeaders(operation.parameters, references);
  const isDeprecated = definition.member("deprecated")?.value === true;
  return {
    method,
    path: operation.path,
    ...(operationId !== undefined && { operationId }),
    ...(isDeprecated && { isDeprecated }),
    ...(keyHeader && { keyHeader }),
    ...(security && { security }),
    parameters,
    ...(body && { body: body.described }),
    responses: responsesOf(definition, describer, api),
    target,
    samples: samplesOf({ method, target, headers, keyHeader, body: body?.sample }),
  };
}

function firstContent(owner: Located): Located | undefined {
  return owner.member("content")?.members()[0];
}

function describeBody(body: Located, describer: SchemaDescriber, api: ApiDocument) {
  const types = body.member("content")?.members() ?? [];
  const contents = types.map((type) => contentOf(type, describer, api, "request"));
  const description = descriptionOf(body.member("description"));
  const sampled = types.find(({ name }) => /[/+]json\b/i.test(name)) ?? types[0];
  const mediaType = sampled && api.references.resolve(sampled);
  const value = mediaType && briefExampleOf(mediaType, api.references, "request", describer.perPage);
  const isSmall = value !== undefined && (JSON.stringify(value) ?? "").length <= maxExample;
  return {
    described: {
      isRequired: body.member("required")?.value === true,
      ...(description && { description }),
      contents,
    },
    sample: sampled && isSmall ? { mediaType: sampled.name.replace("*/*", "application/json"), value } : undefined,
  };
}

function contentOf(
  type: Located,
  describer: SchemaDescriber,
  { references }: ApiDocument,
  direction: "request" | "response",
): Content {
  const mediaType = references.resolve(type);
  const schema = mediaType?.member("schema") ?? mediaType?.member("itemSchema");
  const value = mediaType && briefExampleOf(mediaType, references, direction, describer.perPage);
  const example = value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return {
    mediaType: type.name,
    ...(schema && { schema: describer.describe(schema) }),
    ...(example !== undefined && example.length <= maxExample && { example }),
  };
}

function responsesOf(definition: Located, describer: SchemaDescriber, api: ApiDocument): OperationPage["responses"] {
  const responses = definition.member("responses")?.members() ?? [];
  return responses
    .filter(({ name }) => !name.startsWith("x-"))
    .flatMap((member) => {
      const response = api.references.resolve(member);
      if (!response?.isObject) return [];
      const description = descriptionOf(response.member("description"));
      const types = response.member("content")?.members() ?? [];
      return {
        status: member.name,
        ...(description && { description }),
        headers: (response.member("headers")?.members() ?? []).flatMap((each) => headerOf(each, describer, api)),
        contents: types.map((type) => contentOf(type, describer, api, "response")),
      };
    });
}

function headerOf(
  member: Located,
  describer: SchemaDescriber,
  { references }: ApiDocument,
): OperationPage["responses"][number]["headers"] {
  const header = references.resolve(member);
  if (!header?.isObject) return [];
  const description = descriptionOf(header.member("description"));
  const schema = header.member("schema");
  return [
    { name: member.name, ...(description && { description }), ...(schema && { schema: describer.describe(schema) }) },
  ];
}

/**
 * The `security` of an operation, or of the document: alternatives, each of which is a list of schemes that are needed
 * together. Undefined if there is none, and empty if the operation says that it needs none.
 */
export function securityOf(definition: Located, api: ApiDocument): OperationPage["security"] {
  const security = definition.member("security") ?? api.root.member("security");
  if (!security || !Array.isArray(security.value)) return undefined;
  return security
    .items()
    .filter((alternative) => alternative.isObject)
    .map((alternative) =>
      alternative.members().map((requirement) => ({
        name: requirement.name,
        text: schemeText(requirement, api),
      })),
    );
}

function schemeText(requirement: Located, { root, references }: ApiDocument): string {
  const declared = root.member("components")?.member("securitySchemes")?.member(requirement.name);
  const scheme = declared && references.resolve(declared);
  const needed = requirement.items().map(({ value }) => String(value));
  const scopes = needed.length === 0 ? "" : `, with ${needed.join(", ")}`;
  const member = (name: string) => String(scheme?.member(name)?.value ?? "");
  switch (scheme?.member("type")?.value) {
    case "apiKey":
      return `a key in the ${member("in")} ${member("in") === "query" ? "parameter " : ""}${member("name")}${scopes}`;
    case "http":
      return `${/^bearer$/i.test(member("scheme")) ? "a bearer token" : `HTTP ${member("scheme")}`}${scopes}`;
    case "oauth2":
      return `OAuth 2.0${scopes}`;
    case "openIdConnect":
      return `OpenID Connect${scopes}`;
    case "mutualTLS":
      return "a client certificate";
    default:
      return requirement.name;
  }
}
