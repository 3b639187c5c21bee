/** The parts of /openapi.json, as far as the torture reads it. */
export interface Described {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, JsonSchema> };
}

export interface DescribedOperation {
  operationId: string;
  description: string;
  security?: unknown[];
  parameters: DescribedParameter[];
  requestBody?: { content: Record<string, { schema?: JsonSchema; example?: unknown }> };
}

export interface DescribedParameter {
  name: string;
  in: "path" | "query" | "header";
  schema: JsonSchema;
}

/** Only the keywords that are looked at. */
export interface JsonSchema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
}

export interface OperationOfPath {
  method: string;
  template: string;
  operation: DescribedOperation;
}

export async function describedBy(server: { readonly url: string }): Promise<Described> {
  const response = await fetch(`${server.url}/openapi.json`);
  return (await response.json()) as Described;
}

/**
 * Operations for browsers only: they need an `Origin` or a cookie, which no example can contain. They have separate
 * tests.
 */
const ofBrowsers = new Set([
  "createSession",
  "listSessions",
  "deleteSession",
  "showInvitation",
  "acceptInvitation",
  "startSignIn",
  "signInWithCode",
  "signInWithLink",
  "openCheckout",
  "submitCheckout",
]);

/** Takes a form with a token of another issuer. It has separate tests. */
const ofIssuers = new Set(["exchangeToken"]);

/** They need Stripe, or its signature. They have separate tests. */
const ofStripe = new Set(["receiveStripeEvent", "openPaymentPortal", "comparePayments"]);

export function operationsOf(described: Described): OperationOfPath[] {
  return Object.entries(described.paths)
    .flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), template, operation })),
    )
    .filter(({ operation: { operationId: id } }) => !ofBrowsers.has(id) && !ofIssuers.has(id) && !ofStripe.has(id));
}

/** The path with a value for each parameter of its template. */
export function filledPath(template: string, fill: (name: string) => string): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => fill(name));
}
