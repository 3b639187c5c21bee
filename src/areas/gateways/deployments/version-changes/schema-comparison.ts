import { isJsonObject } from "../../../../lib/text/json-object.ts";
import { escapePointer, resolvedIn } from "../../../../lib/text/json-pointer.ts";

export type Json = Record<string, unknown>;

/** Clients send what a request allows, and must accept what a response can be. */
export type Direction = "request" | "response";

const maxDepth = 20;
const maxFound = 200;

/**
 * Finds how a schema of a request became narrower, or that of a response wider: changes that break clients. For schemas
 * of OpenAPI documents, with their references and `nullable`. Not a complete comparison of JSON Schemas.
 */
export class SchemaComparison {
  #found: string[] = [];
  readonly #from: FlatSchemas;
  readonly #to: FlatSchemas;
  /**
   * The depth at which two schemas were compared without finding anything. Schemas may refer to themselves, and to each
   * other so often that comparing each place would not end.
   */
  readonly #compared = new Map<Json, Map<Json, number>>();

  /** The documents are those in which references are resolved. */
  constructor(
    from: unknown,
    to: unknown,
    private readonly direction: Direction,
  ) {
    this.#from = new FlatSchemas(from);
    this.#to = new FlatSchemas(to);
  }

  /** Returns at most 200 sentences without a subject, with JSON pointers into the value. */
  compare(before: unknown, after: unknown): string[] {
    this.#found = [];
    this.#visit(before, after, "", 0);
    return this.#found.slice(0, maxFound);
  }

  #visit(before: unknown, after: unknown, place: string, depth: number): void {
    const found = this.#found.length;
    if (!isJsonObject(before) || !isJsonObject(after) || depth > maxDepth || found >= maxFound) return;
    const [old, now] = [this.#from.of(before), this.#to.of(after)];
    const compared = this.#compared.get(old) ?? new Map<Json, number>();
    this.#compared.set(old, compared);
    if ((compared.get(now) ?? Number.POSITIVE_INFINITY) <= depth) return;
    compared.set(now, depth);
    this.#compareResolved(old, now, place, depth);
    if (this.#found.length > found) compared.delete(now);
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
    const [old, now] = [valuesOf(before), valuesOf(after)];
    if (this.direction === "request") {
      if (now.size === 0) return;
      if (old.size === 0) this.#found.push(`${where}only accepts ${[...now].join(", ")}`);
      const gone = [...old].filter((value) => !now.has(value));
      if (gone.length > 0) this.#found.push(`${where}no longer accepts ${gone.join(", ")}`);
      return;
    }
    if (old.size === 0) return;
    const added = [...now].filter((value) => !old.has(value));
    if (added.length > 0) this.#found.push(`${where}can be ${added.join(", ")}`);
    else if (now.size === 0) this.#found.push(`${where}can be any value`);
  }

  #compareProperties(before: Json, after: Json, place: string, depth: number): void {
    const [old, now] = [objectAt(before, "properties"), objectAt(after, "properties")];
    const [oldRequired, nowRequired] = [requiredOf(before), requiredOf(after)];
    if (this.direction === "request") {
      for (const name of nowRequired)
        if (!oldRequired.has(name)) this.#found.push(`requires ${place}/${escapePointer(name)}`);
      if (after.additionalProperties === false)
        for (const name of Object.keys(old))
          if (!Object.hasOwn(now, name)) this.#found.push(`no longer accepts ${place}/${escapePointer(name)}`);
    } else {
      for (const name of Object.keys(old)) {
        const pointer = `${place}/${escapePointer(name)}`;
        if (!Object.hasOwn(now, name)) this.#found.push(`no longer has ${pointer}`);
        else if (oldRequired.has(name) && !nowRequired.has(name)) this.#found.push(`may lack ${pointer}`);
      }
    }
    for (const name of Object.keys(old))
      if (Object.hasOwn(now, name)) this.#visit(old[name], now[name], `${place}/${escapePointer(name)}`, depth + 1);
  }
}

/** The schemas of a document, each with those of its `allOf`. Alternatives are not compared. */
class FlatSchemas {
  readonly #known = new Map<Json, Json>();

  constructor(private readonly document: unknown) {}

  of(schema: Json, depth = 0): Json {
    const own = resolvedIn(this.document, schema) ?? {};
    if (!Array.isArray(own.allOf) || depth > maxDepth) return own;
    const known = this.#known.get(own);
    if (known) return known;
    // A schema that is a part of itself adds nothing.
    this.#known.set(own, own);
    const parts = [...own.allOf.filter(isJsonObject).map((part) => this.of(part, depth + 1)), own];
    const flat = {
      ...Object.assign({}, ...parts),
      properties: Object.assign({}, ...parts.map((part) => objectAt(part, "properties"))),
      required: [...new Set(parts.flatMap((part) => [...requiredOf(part)]))],
    };
    this.#known.set(own, flat);
    return flat;
  }
}

function typesOf(schema: Json): string[] | undefined {
  const types = [schema.type].flat().filter((type) => typeof type === "string");
  if (types.length === 0) return undefined;
  // OpenAPI 3.0.
  return schema.nullable === true ? [...types, "null"] : types;
}

/** The values of an `enum`, as JSON. */
function valuesOf(list: unknown): Set<string> {
  return new Set(Array.isArray(list) ? list.map((one) => JSON.stringify(one)) : []);
}

function accepts(types: string[], type: string): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

function requiredOf(schema: Json): Set<string> {
  return new Set(Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === "string") : []);
}

function objectAt(schema: Json, name: string): Json {
  const value = schema[name];
  return isJsonObject(value) ? value : {};
}
