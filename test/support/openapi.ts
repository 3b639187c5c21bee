/** The part of an OpenAPI 3.1 document that the contract uses. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, object>; responses?: Record<string, DocumentedResponse> };
}

export interface Operation {
  responses: Record<string, DocumentedResponse | { $ref: string }>;
}

export interface DocumentedResponse {
  content?: Record<string, { schema?: object }>;
  headers?: Record<string, { required?: boolean }>;
}

export type OperationFinder = (method: string, path: string) => { template: string; operation: Operation } | undefined;

/** If two templates match a path, the one with fewer parameters wins: `/keys/$bulk` before `/keys/{keyId}`. */
export function operationFinder(document: OpenApiDocument): OperationFinder {
  const templates = Object.keys(document.paths)
    .sort((one, other) => parameterCount(one) - parameterCount(other))
    .map((template) => ({ template, pattern: pathPattern(template) }));
  return (method, path) => {
    const template = templates.find(({ pattern }) => pattern.test(path))?.template;
    const operation = template && document.paths[template]?.[method === "HEAD" ? "get" : method.toLowerCase()];
    return operation ? { template, operation } : undefined;
  };
}

export function responseFor(
  document: OpenApiDocument,
  operation: Operation,
  status: number,
): DocumentedResponse | undefined {
  const { responses } = operation;
  const response = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default;
  if (!response || !("$ref" in response)) return response;
  return document.components?.responses?.[response.$ref.replace("#/components/responses/", "")];
}

function parameterCount(template: string): number {
  return template.split("{").length - 1;
}

/** A trailing slash on a path changes nothing. */
function pathPattern(template: string): RegExp {
  const pattern = template
    .split(/(\{[^}]+\})/)
    .map((part) => (part.startsWith("{") ? "[^/]+" : RegExp.escape(part)))
    .join("");
  return new RegExp(`^${pattern}/?$`);
}
