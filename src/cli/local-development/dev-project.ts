import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseYaml } from "yaml";
import { bundlePackages } from "../projects/bundle-packages.ts";

interface Policy {
  type?: string;
  options?: { bucket?: string; header?: string; scheme?: string; bucketId?: string; meters?: Record<string, number> };
}

/** The resources that `dev` creates for a project. Invalid parts are skipped here; the builder reports them. */
export interface DevProject {
  policies: Record<string, Policy>;
  operations: { method: string; path: string; policies: string[]; parameters: Parameter[] }[];
}

interface Parameter {
  name?: string;
  in?: string;
  required?: boolean;
  example?: unknown;
  schema?: { type?: string; example?: unknown; default?: unknown; enum?: unknown[] };
}

type Reference = Parameter & { $ref?: string };
type Routed = { "x-tollgate"?: { policies?: string[] }; parameters?: Reference[] };
type PathItem = Routed & Record<string, Routed | undefined>;
type Document = Routed & { paths?: Record<string, PathItem>; components?: { parameters?: Record<string, Parameter> } };

const methods = ["get", "post", "put", "patch", "delete"];

export async function readProject(folder: string): Promise<DevProject> {
  const settings = (await readIfThere(join(folder, "tollgate.json"), parseJson)) as
    | { policies?: object; defaultPolicies?: string[] }
    | undefined;
  const document = ((await readIfThere(join(folder, "openapi.json"), parseJson)) ??
    (await readIfThere(join(folder, "openapi.yaml"), parseYaml)) ??
    (await readIfThere(join(folder, "openapi.yml"), parseYaml))) as Document | undefined;
  return {
    policies: { ...settings?.policies },
    operations: [...operationsOf(document ?? {}, settings?.defaultPolicies)],
  };
}

function* operationsOf(
  document: Document,
  defaultPolicies: string[] = [],
): Generator<DevProject["operations"][number]> {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of methods) {
      const operation = item?.[method] ?? (method === "get" ? item?.["x-tollgate-any"] : undefined);
      if (!operation) continue;
      const routing = { ...document["x-tollgate"], ...item["x-tollgate"], ...operation["x-tollgate"] };
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(
        (one) => document.components?.parameters?.[one.$ref?.replace("#/components/parameters/", "") ?? ""] ?? one,
      );
      yield { method: method.toUpperCase(), path, policies: routing.policies ?? defaultPolicies, parameters };
    }
  }
}

/**
 * Copies the files of the project that a deployment would contain. Names of metering buckets are replaced by the local
 * one, in the same line, so that errors keep their line numbers.
 */
export async function copyProject(folder: string, copy: string, meteringBucketId: string | undefined): Promise<void> {
  await rm(copy, { recursive: true, force: true });
  const isWanted = (path: string) => path === folder || !/^\.|^node_modules$/.test(basename(path));
  await cp(folder, copy, { recursive: true, filter: isWanted });
  for (const { path, content } of (await bundlePackages(folder)).files) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await writeFile(join(copy, path), content);
  }
  if (meteringBucketId === undefined) return;
  const file = join(copy, "tollgate.json");
  const settings = await readFile(file, "utf8");
  await writeFile(file, settings.replace(/("bucketId"\s*:\s*)"[^"\n]*"/g, `$1"${meteringBucketId}"`));
}

/** A curl command for a route of the project, with a key if a route requires one. */
export function exampleCall(
  { operations, policies }: DevProject,
  url: string,
  keys: Map<string, string>,
): string | undefined {
  const gets = operations.filter(({ method }) => method === "GET");
  const keyPolicyOf = (names: string[]) =>
    names.map((name) => policies[name]).find((policy) => policy?.type === "api-key");
  const chosen = gets.find(({ policies: names }) => keyPolicyOf(names)) ?? gets[0];
  if (!chosen) return undefined;
  const sampleOf = (name: string, place: string) => encodeURIComponent(sample(name, place, chosen.parameters));
  const path = chosen.path.replace(/\{(.+?)[+*]?\}/g, (_, name) => sampleOf(name, "path"));
  const required = (place: string) =>
    chosen.parameters.flatMap(({ name, in: at, required }) => (required && at === place && name ? [name] : []));
  const query = required("query").map((name, index) => `${index > 0 ? "&" : "?"}${name}=${sampleOf(name, "query")}`);
  const headers = required("header").map((name) => `-H '${name}: ${sampleOf(name, "header")}' `);
  const rest = `${headers.join("")}'${url}${path}${query.join("")}'`;
  const { options } = keyPolicyOf(chosen.policies) ?? {};
  const key = keys.get(options?.bucket ?? "");
  if (key === undefined) return `curl ${rest}`;
  const value = [options?.scheme ?? "Bearer", key].filter((word) => word !== "").join(" ");
  return `curl -H '${options?.header ?? "Authorization"}: ${value}' ${rest}`;
}

function sample(name: string, place: string, parameters: Parameter[]): string {
  const parameter = parameters.find((one) => one.in === place && one.name === name);
  const given =
    parameter?.example ?? parameter?.schema?.example ?? parameter?.schema?.default ?? parameter?.schema?.enum?.[0];
  if (given !== undefined) return String(given);
  return /^(integer|number)$/.test(parameter?.schema?.type ?? "") ? "1" : "world";
}

async function readIfThere(path: string, parse: (text: string) => unknown): Promise<unknown> {
  try {
    return parse(await readFile(path, "utf8"));
  } catch {
    return undefined;
  }
}
