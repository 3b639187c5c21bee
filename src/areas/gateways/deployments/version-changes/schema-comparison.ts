import { isJsonObject } from "../../../../lib/text/json-object.ts";
import { escapePointer, unescapePointer } from "../../../../lib/text/json-pointer.ts";
import { percentDecoded } from "../../../../lib/text/percent-decoded.ts";
export type Json = Record<string, unknown>;

/** Clients send what a request allows, and must accept what a response can be. */
export type Direction = "request" | "response";

const maxDepth = 20;

/**
 * Finds how a schema of a request became narrower, or that of a response wider: changes that break clients. For schemas
 * of OpenAPI documents, with their references and `nullable`. Not a complete comparison of JSON Schemas.
 */
export class SchemaComparison {
  readonly #found: string[] = [];
  /** Pairs that are being compared: schemas may refer to themselves. */
  readonly #open = new Set<string>();

  constructor(
    /** The documents in which references are resolved. */
    private readonly from: unknown,
    private readonly to: unknown,
    private readonly direction: Direction,
  ) {}

  /** Returns sentences without a subject, with JSON pointers into the value. */
  compare(before: unknown, after: unknown): string[] {
    this.#visit(before, after, "", 0);
    return this.#found;
  }

  #visit(before: unknown, after: unknown, place: string, depth: number): void {
    if (!isJsonObject(before) || !isJsonObject(after) || depth > maxDepth) return;
    const pair = `${String(before.$ref)} ${String(after.$ref)}`;
    const isReference = before.$ref !== undefined && after.$ref !== undefined;
    if (isReference && this.#open.has(pair)) return;
    if (isReference) this.#open.add(pair);
    this.#compareResolved(flattened(before, this.from), flattened(after, this.to), place, depth);
    if (isReference) this.#open.delete(pair);
  }

  #compareResolved(before: Json, after: Json, place: string, depth: number): void {
    const where = place === "" ? "" : `${place} `;
    const [old, now] = [typesOf(before), typesOf(after)];
    if (old && now) {
      const [all, allowed] = this.direction === "request" ? [old, now] : [now, old];
      const missing = all.filter((type) => !accepts(allowed, type));
      if (missing.length > 0) {
        this.#found.push(`${where}is of type ${now.join(" or ")} instead of ${old.join(" or ")}`);
        return;
      }
    }
    this.#compareValues(before.enum, after.enum, where);
    this.#compareProperties(before, after, place, depth);
    this.#visit(before.items, after.items, `${place}/*`, depth + 1);
  }

  #compareValues(before: unknown, after: unknown, where: string): void {
    const [old, now] = [before, after].map((list) =>
      Array.isArray(list) ? list.map((one) => JSON.stringify(one)) : [],
    );
    if (this.direction === "request") {
      if (now!.length === 0) return;
      if (old!.length === 0) this.#found.push(`${where}only accepts ${now!.join(", ")}`);
      const gone = old!.filter((value) => !now!.includes(value));
      if (gone.length > 0) this.#found.push(`${where}no longer accepts ${gone.join(", ")}`);
      return;
    }
    if (old!.length === 0) return;
    const added = now!.filter((value) => !old!.includes(value));
    if (added.length > 0) this.#found.push(`${where}can be ${added.join(", ")}`);
    else if (now!.length === 0) this.#found.push(`${where}can be any value`);
  }

  #compareProperties(before: Json, after: Json, place: string, depth: number): void {
    const [old, now] = [objectAt(before, "properties"), objectAt(after, "properties")];
    const [oldRequired, nowRequired] = [requiredOf(before), requiredOf(after)];
    if (this.direction === "request") {
      for (const name of nowRequired)
        if (!oldRequired.includes(name)) this.#found.push(`requires ${place}/${escapePointer(name)}`);
      if (after.additionalProperties === false)
        for (const name of Object.keys(old))
          if (!Object.hasOwn(now, name)) this.#found.push(`no longer accepts ${place}/${escapePointer(name)}`);
    } else {
      for (const name of Object.keys(old)) {
        const pointer = `${place}/${escapePointer(name)}`;
        if (!Object.hasOwn(now, name)) this.#found.push(`no longer has ${pointer}`);
        else if (oldRequired.includes(name) && !nowRequired.includes(name)) this.#found.push(`may lack ${pointer}`);
      }
    }
    for (const name of Object.keys(old))
      if (Object.hasOwn(now, name)) this.#visit(old[name], now[name], `${place}/${escapePointer(name)}`, depth + 1);
  }
}

/** Follows references within the document. */
export function resolved(value: unknown, document: unknown): Json {
  let current = value;
  for (let step = 0; step < maxDepth && isJsonObject(current) && typeof current.$ref === "string"; step++)
    current = at(document, current.$ref);
  return isJsonObject(current) ? current : {};
}

/** The schema with those of its `allOf`. Alternatives are not compared. */
function flattened(schema: Json, document: unknown, depth = 0): Json {
  const own = resolved(schema, document);
  if (!Array.isArray(own.allOf) || depth > maxDepth) return own;
  const parts = [...own.allOf.filter(isJsonObject).map((part) => flattened(part, document, depth + 1)), own];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map((part) => objectAt(part, "properties"))),
    required: parts.flatMap(requiredOf),
  };
}

function at(document: unknown, reference: string): unknown {
  if (!reference.startsWith("#/")) return undefined;
  const steps = reference
    .slice(2)
    .split("/")
    .map((step) => unescapePointer(percentDecoded(step)));
  return steps.reduce<unknown>(
    (value, step) => (isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    document,
  );
}

function typesOf(schema: Json): string[] | undefined {
  const types = [schema.type].flat().filter((type) => typeof type === "string");
  if (types.length === 0) return undefined;
  // OpenAPI 3.0.
  return schema.nullable === true ? [...types, "null"] : types;
}

function accepts(types: string[], type: string): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

function requiredOf(schema: Json): string[] {
  return Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === "string") : [];
}

function objectAt(schema: Json, name: string): Json {
  const value = schema[name];
  return isJsonObject(value) ? value : {};
}
