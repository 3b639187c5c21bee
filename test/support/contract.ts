import Ajv2020, { type ErrorObject, type ValidateFunction } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import type { ClientResponse, ServerAddress } from "./client.ts";
import {
  type DocumentedResponse,
  type OpenApiDocument,
  type Operation,
  operationFinder,
  responseFor,
} from "./openapi.ts";

const bodilessStatuses = [204, 304];

const unknownPath: DocumentedResponse = {
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

/** Validates responses against the OpenAPI document of their server. */
class Contract {
  readonly #find;
  readonly #schemas = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  readonly #validators = new Map<object, ValidateFunction>();
  /** Many responses have equal schemas, such as a reference to Problem; compiling one takes milliseconds. */
  readonly #validatorsByText = new Map<string, ValidateFunction>();

  constructor(private readonly document: OpenApiDocument) {
    this.#find = operationFinder(document);
    addFormats(this.#schemas);
    this.#schemas.addFormat("uint32", { type: "number", validate: isUint32 });
    this.#schemas.addSchema(document, "document");
  }

  /** Throws an error that names the operation and the difference. */
  check(response: ClientResponse): void {
    const found = this.#find(response.method, response.path);
    const difference = found ? this.#ofOperation(response, found.operation) : this.#ofUnknownPath(response);
    if (difference === undefined) return;
    const name = found
      ? `${response.method} ${found.template}`
      : `${response.method} ${response.path} (not documented)`;
    throw new Error(
      `${name} returned ${response.status}, against /openapi.json: ${difference}\n${response.text.slice(0, 2000)}`,
    );
  }

  #ofOperation(response: ClientResponse, operation: Operation): string | undefined {
    const documented = responseFor(this.document, operation, response.status);
    if (documented) return this.#ofResponse(response, documented);
    return `the status is not documented, only ${Object.keys(operation.responses).join(", ")}`;
  }

  #ofUnknownPath(response: ClientResponse): string | undefined {
    if ([404, 405].includes(response.status)) return this.#ofResponse(response, unknownPath);
    return "what is not documented must be rejected with 404 or 405";
  }

  #ofResponse(response: ClientResponse, documented: DocumentedResponse): string | undefined {
    for (const [name, header] of Object.entries(documented.headers ?? {})) {
      if (header.required && !response.headers.has(name)) return `the header ${name} is missing`;
    }
    const types = Object.keys(documented.content ?? {});
    if (types.length === 0 || bodilessStatuses.includes(response.status) || response.method === "HEAD") {
      return response.text === "" ? undefined : "the body must be empty";
    }
    const type = response.headers.get("content-type")?.split(";")[0]?.trim() ?? "none";
    const content = documented.content?.[type];
    if (!content) return `the content type is ${type}, documented is ${types.join(", ")}`;
    return content.schema && this.#ofBody(response.body, content.schema);
  }

  #ofBody(body: unknown, schema: object): string | undefined {
    const validate = this.#validators.get(schema) ?? this.#compile(schema);
    return validate(body) ? undefined : (validate.errors ?? []).map(sentence).join("; ");
  }

  /** References are rewritten to the whole document, so that each component is compiled once. */
  #compile(schema: object): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
    const validate = this.#validatorsByText.get(text) ?? this.#schemas.compile(JSON.parse(text));
    this.#validatorsByText.set(text, validate);
    this.#validators.set(schema, validate);
    return validate;
  }
}

function isUint32(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < 2 ** 32;
}

function sentence(error: ErrorObject): string {
  return `${error.instancePath || "the body"} ${error.message} ${JSON.stringify(error.params)}`;
}

const contracts = new Map<string, Promise<Contract>>();

/**
 * Fetched once from each server, or from the first one of a build: servers of one build have the same document except for the
 * address (`test/openapi.test.ts` checks it), and composing it takes longer than the rest of their start.
 */
export function contractOf({ url, build }: ServerAddress, path = "/openapi.json"): Promise<Contract> {
  const key = `${build ?? url} ${path}`;
  const known = contracts.get(key);
  if (known) return known;
  const fetched = fetchContract(url + path);
  contracts.set(key, fetched);
  // A server that did not respond must not fail the tests of the others.
  fetched.catch(() => contracts.delete(key));
  return fetched;
}

async function fetchContract(url: string): Promise<Contract> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`GET ${url} returned ${response.status}: ${await response.text()}`);
  return new Contract((await response.json()) as OpenApiDocument);
}
