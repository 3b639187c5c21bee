import { secretMark } from "../../core/schemas/schemas.ts";
import { isJsonObject } from "../../lib/text/json-object.ts";

type Schema = Record<string, unknown>;

/** Schemas by name, as in the components of an OpenAPI document. */
export type Schemas = Record<string, Schema>;

const prefix = "#/components/schemas/";
const combinations = ["anyOf", "oneOf", "allOf"] as const;

/**
 * Removes secret members from the schemas of request bodies. An object that requires one is removed as a whole, and so
 * is every object that requires that object.
 */
export class SecretFreeSchemas {
  /** The schemas that the converted ones refer to. */
  readonly schemas: Schemas = {};
  /** Undefined while a schema is being converted, and false if it was removed. */
  readonly #isKept = new Map<string, boolean | undefined>();

  constructor(private readonly all: Schemas) {}

  /** Returns the schema without secrets, or undefined if nothing is left. */
  convert(schema: Schema): Schema | undefined {
    if (schema[secretMark]) return undefined;
    if (typeof schema.$ref === "string") return this.#named(schema.$ref.slice(prefix.length)) ? schema : undefined;
    const converted: Schema = { ...schema };
    if (!this.#convertProperties(schema, converted)) return undefined;
    for (const name of ["items", "additionalProperties"]) {
      const inner = schema[name];
      if (!isJsonObject(inner)) continue;
      const kept = this.convert(inner);
      if (!kept) return undefined;
      converted[name] = kept;
    }
    for (const name of combinations) {
      const branches = schema[name] as Schema[] | undefined;
      if (!branches) continue;
      const kept = branches.map((branch) => this.convert(branch)).filter((branch) => branch !== undefined);
      if (kept.length === 0 || (name === "allOf" && kept.length < branches.length)) return undefined;
      converted[name] = kept;
    }
    return converted;
  }

  /** Returns false if a required property is or contains a secret. */
  #convertProperties(schema: Schema, converted: Schema): boolean {
    const { properties, required = [] } = schema as { properties?: Schemas; required?: string[] };
    if (!properties) return true;
    const kept = Object.entries(properties).map(([name, member]) => [name, this.convert(member)] as const);
    converted.properties = Object.fromEntries(kept.filter(([, member]) => member !== undefined));
    return kept.every(([name, member]) => member !== undefined || !required.includes(name));
  }

  #named(name: string): boolean {
    // A schema that contains itself is kept there, and decided by its other members.
    if (this.#isKept.has(name)) return this.#isKept.get(name) ?? true;
    this.#isKept.set(name, undefined);
    const converted = this.convert(this.all[name] ?? {});
    this.#isKept.set(name, converted !== undefined);
    if (converted) this.schemas[name] = converted;
    return converted !== undefined;
  }
}
