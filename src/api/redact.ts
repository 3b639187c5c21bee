import { z } from "zod";
import { secretMark } from "../core/schemas/schemas.ts";
import type { Endpoint } from "./endpoint.ts";

type JsonSchema = { [key: string]: unknown };

/** The path of a secret in a value: member names, and `*` for array items and for members of any name. */
type SecretPath = string[];

const redacted = "[redacted]";

const known = new WeakMap<Endpoint, SecretPath[]>();

/** Returns the paths of secrets in a request body, cached per endpoint. */
export function secretsOf(endpoint: Endpoint): SecretPath[] {
  const secrets = known.get(endpoint) ?? readMarks(endpoint);
  known.set(endpoint, secrets);
  return secrets;
}

const knownToShow = new WeakMap<Endpoint, SecretPath[]>();

/** Returns the paths of secrets in a response, cached per endpoint. */
export function shownSecretsOf(endpoint: Endpoint): SecretPath[] {
  const { response } = endpoint;
  const secrets = knownToShow.get(endpoint) ?? (response ? findMarks(jsonSchemaOf(response, "output")) : []);
  knownToShow.set(endpoint, secrets);
  return secrets;
}

/** Whether the response may contain a key, a token or another secret. */
export function showsSecrets(endpoint: Endpoint): boolean {
  return shownSecretsOf(endpoint).length > 0;
}

function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  return z.toJSONSchema(schema, { io, unrepresentable: "any" });
}

function readMarks({ body }: Endpoint): SecretPath[] {
  return body ? findMarks(jsonSchemaOf(body, "input")) : [];
}

/** Replaces the values at the paths, except those that `isShown` accepts. */
export function redact(value: unknown, paths: SecretPath[], isShown = (_value: unknown) => false): unknown {
  return paths.reduce((current, path) => redactAt(current, path, isShown), value);
}

function redactAt(value: unknown, path: SecretPath, isShown: (value: unknown) => boolean): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value === null || value === undefined || isShown(value) ? value : redacted;
  if (Array.isArray(value)) return step === "*" ? value.map((item) => redactAt(item, rest, isShown)) : value;
  if (typeof value !== "object" || value === null) return value;
  if (step === "*")
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, redactAt(member, rest, isShown)]));
  if (!(step in value)) return value;
  return { ...value, [step]: redactAt((value as Record<string, unknown>)[step], rest, isShown) };
}

function findMarks(root: JsonSchema): SecretPath[] {
  const definitions = (root.$defs ?? {}) as Record<string, JsonSchema>;
  const walk = (schema: JsonSchema, path: SecretPath, within: readonly string[]): SecretPath[] => {
    if (schema[secretMark]) return [path];
    if (typeof schema.$ref === "string") {
      const name = schema.$ref.replace("#/$defs/", "");
      // A schema that contains itself has the same marks at every depth.
      return within.includes(name) ? [] : walk(definitions[name] ?? {}, path, [...within, name]);
    }
    const found: SecretPath[] = [];
    for (const [name, member] of Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)) {
      found.push(...walk(member, [...path, name], within));
    }
    for (const each of [schema.items, schema.additionalProperties]) {
      if (typeof each === "object" && each !== null) found.push(...walk(each as JsonSchema, [...path, "*"], within));
    }
    for (const branch of [...((schema.anyOf ?? []) as JsonSchema[]), ...((schema.oneOf ?? []) as JsonSchema[])]) {
      found.push(...walk(branch, path, within));
    }
    return found;
  };
  return walk(root, [], []);
}
