import { isJsonObject } from "../../../../lib/text/json-object.ts";
import { resolvedIn } from "../../../../lib/text/json-pointer.ts";
import { type Direction, type Json, SchemaComparison } from "./schema-comparison.ts";

interface BreakingChange {
  method: string;
  path: string;
  detail: string;
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
const maxChanges = 200;

/** Changes of an OpenAPI document that can break clients: operations, parameters, bodies and responses. */
export function breakingChanges(before: unknown, after: unknown): BreakingChange[] {
  const from = operationsOf(before);
  const to = operationsOf(after);
  const schemas = {
    request: new SchemaComparison(before, after, "request"),
    response: new SchemaComparison(before, after, "response"),
  };
  const changes: BreakingChange[] = [];
  for (const [key, old] of from) {
    if (changes.length >= maxChanges) break;
    const now = to.get(key);
    const details = now ? new OperationComparison(old, now, before, after, schemas).details() : ["is removed"];
    changes.push(...details.map((detail) => ({ method: old.method, path: old.path, detail })));
  }
  return changes.slice(0, maxChanges);
}

interface Operation {
  method: string;
  path: string;
  item: Json;
  operation: Json;
}

/** Operations by method and path. The names of parameters in the path have no meaning for clients. */
function operationsOf(document: unknown): Map<string, Operation> {
  const found = new Map<string, Operation>();
  for (const [path, value] of Object.entries(objectOf(objectOf(document).paths))) {
    const item = objectOf(resolvedIn(document, value));
    for (const method of methods) {
      if (item[method] === undefined) continue;
      const key = `${method} ${path.replaceAll(/\{[^}]*\}/g, "{}")}`;
      found.set(key, { method: method.toUpperCase(), path, item, operation: objectOf(item[method]) });
    }
  }
  return found;
}

class OperationComparison {
  readonly #details: string[] = [];

  constructor(
    private readonly before: Operation,
    private readonly after: Operation,
    private readonly from: unknown,
    private readonly to: unknown,
    private readonly schemas: Record<Direction, SchemaComparison>,
  ) {}

  details(): string[] {
    this.#compareParameters();
    this.#compareBodies();
    this.#compareResponses();
    return [...new Set(this.#details)];
  }

  #compareParameters(): void {
    const old = parametersOf(this.before, this.from);
    for (const [key, parameter] of parametersOf(this.after, this.to)) {
      const known = old.get(key);
      if (parameter.required === true && known?.required !== true) this.#details.push(`requires the ${key}`);
      if (known) this.#compareSchemas(known.schema, parameter.schema, "request", `the ${key}`);
    }
  }

  #compareBodies(): void {
    const old = objectOf(resolvedIn(this.from, this.before.operation.requestBody));
    const now = objectOf(resolvedIn(this.to, this.after.operation.requestBody));
    if (now.required === true && old.required !== true) this.#details.push("requires a body");
    for (const [type, media] of Object.entries(objectOf(old.content))) {
      const other = objectOf(now.content)[type];
      if (other === undefined) this.#details.push(`no longer accepts ${type}`);
      else this.#compareSchemas(objectOf(media).schema, objectOf(other).schema, "request", "the body");
    }
  }

  #compareResponses(): void {
    const now = objectOf(this.after.operation.responses);
    for (const [status, value] of Object.entries(objectOf(this.before.operation.responses))) {
      if (!/^2/.test(status)) continue;
      if (now[status] === undefined) {
        this.#details.push(`no longer returns ${status}`);
        continue;
      }
      const content = objectOf(objectOf(resolvedIn(this.to, now[status])).content);
      for (const [type, media] of Object.entries(objectOf(objectOf(resolvedIn(this.from, value)).content))) {
        if (content[type] === undefined) this.#details.push(`no longer returns ${type} for ${status}`);
        else
          this.#compareSchemas(
            objectOf(media).schema,
            objectOf(content[type]).schema,
            "response",
            `response ${status}`,
          );
      }
    }
  }

  #compareSchemas(before: unknown, after: unknown, direction: Direction, what: string): void {
    this.#details.push(...this.schemas[direction].compare(before, after).map((detail) => `${what} ${detail}`));
  }
}

/** Parameters except those in the path, which an operation always has, by what they are called in a sentence. */
function parametersOf({ item, operation }: Operation, document: unknown): Map<string, Json> {
  const lists = [item.parameters, operation.parameters].flatMap((list) => (Array.isArray(list) ? list : []));
  const parameters = lists.map((parameter) => objectOf(resolvedIn(document, parameter)));
  return new Map(
    parameters
      .filter((parameter) => parameter.in !== "path")
      .map((parameter) => [`${String(parameter.in)} parameter ${String(parameter.name)}`, parameter]),
  );
}

function objectOf(value: unknown): Json {
  return isJsonObject(value) ? value : {};
}
