import type { ArtifactPolicy } from "../../core/artifact/artifact.ts";
import { alwaysResponds, bypassedByCache, lacksConsumer, lacksKey } from "../../core/artifact/policy-order.ts";
import { notObservable, type PolicyTypeName, policySchemas } from "../../gateway/policies/schemas.ts";
import { didYouMean } from "../../lib/text/suggestion.ts";
import type { EgressMode } from "../../platform/egress/addresses.ts";
import type { Located } from "../documents/located.ts";
import { isModulePath } from "./module-path.ts";
import { type ProjectFileSettings, policyBodiesSchema, settingsSchema } from "./project-schema.ts";
import { warnOfUpstream } from "./upstream-reach.ts";
import { readWith } from "./zod-issues.ts";

export interface ProjectSettings extends Omit<ProjectFileSettings, "policies"> {
  policies: Map<string, ArtifactPolicy>;
  /** Whether the file has `models`, valid or not. */
  hasModels: boolean;
  /** The position of a policy's definition. */
  definitionOf(policy: string): Located | undefined;
}

/** Reads tollgate.json, if there is one. */
export function readSettings(root: Located | undefined, modules: ProjectModules, egress: EgressMode): ProjectSettings {
  const settings = (root && readWith(settingsSchema, root)) ?? settingsDespiteErrors(root);
  warnOfUpstream(root?.member("upstream"), egress);
  const policies = new Map<string, ArtifactPolicy>();
  // Parsed one by one, so that each is checked and known even if other parts are invalid.
  for (const policy of root?.member("policies")?.members() ?? [])
    policies.set(policy.name, readMode(policy, readPolicy(policy, modules)));
  checkPolicyList(root?.member("defaultPolicies"), policies);
  for (const provider of root?.member("models")?.member("providers")?.members() ?? [])
    warnOfUpstream(provider.member("url"), egress);
  const hasModels = root?.member("models") !== undefined;
  return { ...settings, policies, hasModels, definitionOf: (name) => root?.member("policies")?.member(name) };
}

/** Used if the settings are invalid or missing: an invalid upstream still counts as the target of its routes. */
function settingsDespiteErrors(root: Located | undefined): ProjectFileSettings {
  const upstream = root?.member("upstream");
  return { ...settingsSchema.parse({}), ...(upstream && { upstream: String(upstream.value) }) };
}

/** Reports names that are listed twice or not defined in tollgate.json, and problems with the order of policies. */
export function checkPolicyList(list: Located | undefined, policies: ReadonlyMap<string, ArtifactPolicy>): void {
  const items = list?.items() ?? [];
  checkOrder(items, policies);
  const seen = new Set<unknown>();
  for (const item of items) {
    const name = item.value;
    if (typeof name !== "string") continue;
    if (seen.has(name)) item.error(`the policy "${name}" is listed twice`);
    seen.add(name);
    if (policies.has(name)) continue;
    item.error(`unknown policy "${name}"${didYouMean(name, policies.keys()) || ": tollgate.json does not name it"}`);
  }
}

function checkOrder(items: Located[], policies: ReadonlyMap<string, ArtifactPolicy>): void {
  const types = items.map(({ value }) => policies.get(String(value))?.type);
  for (const [at, item] of items.entries()) {
    if (lacksKey(types, at))
      item.error(
        `"${item.value}" checks the permissions of a key: put a policy of type "api-key", "basic-auth" or "oauth" before it`,
      );
    // A warning, not an error: it only rejects requests.
    if (lacksConsumer(types, at))
      item.warning(
        `"${item.value}" consumes the quota of a consumer: every request will get 403 unless a policy of type "api-key", "basic-auth", "oauth" or "jwt" is before it`,
      );
    const responding = types.findIndex((type, index) => index < at && alwaysResponds(type));
    if (responding !== -1)
      item.error(`"${item.value}" is never reached: "${items[responding]!.value}" before it responds to every request`);
    const denying = bypassedByCache(types, at);
    if (denying === undefined) continue;
    item.error(
      `the cache "${item.value}" is before "${items[denying]!.value}" and would serve its responses to all clients: put it after that policy`,
    );
  }
}

/** Adds the mode `observe`, or reports why the policy cannot have it. */
function readMode(policy: Located, read: ArtifactPolicy): ArtifactPolicy {
  const mode = policy.member("mode");
  if (mode?.value !== "observe") return read;
  const reason = Object.hasOwn(notObservable, read.type) ? notObservable[read.type as PolicyTypeName] : undefined;
  if (reason !== undefined) mode.error(`a policy of type "${read.type}" cannot observe: ${reason}`);
  return { ...read, mode: "observe" };
}

function readPolicy(policy: Located, modules: ProjectModules): ArtifactPolicy {
  const options = policy.member("options");
  const type = policy.member("type");
  const typeName = type?.value;
  if (typeof typeName !== "string") return { type: "", options: {} };
  if (isModulePath(typeName)) {
    modules.use(type!);
    const body = policyBodiesSchema.safeParse(policy.member("body")?.value).data;
    const readsBodies = body && (body.request !== "none" || body.response !== "none");
    return { type: typeName, options: options?.value ?? {}, ...(readsBodies && { body }) };
  }
  policy
    .member("body")
    ?.keyError(`is for policies in code: those of type "${typeName}" read the bodies that they need without it`);
  if (!Object.hasOwn(policySchemas, typeName)) {
    const known = [...Object.keys(policySchemas), ...modules.paths];
    type!.error(
      `unknown policy type "${typeName}"${didYouMean(typeName, known) || ": neither built in nor a module such as modules/audit.ts"}`,
    );
    return { type: typeName, options: {} };
  }
  const schema = policySchemas[typeName as keyof typeof policySchemas];
  if (options) {
    if (typeName === "jwt") warnOfShortSecrets(options);
    return { type: typeName, options: readWith(schema, options) };
  }
  const without = schema.safeParse({});
  if (without.success) return { type: typeName, options: without.data };
  const missing = without.error.issues.map(({ path }) => `"${path.join(".")}"`).join(", ");
  policy.error(`"options" is missing: a policy of type "${typeName}" needs ${missing}`);
  return { type: typeName, options: {} };
}

/** A secret that is shorter than the hash can be guessed from one token (RFC 7518, 3.2). */
function warnOfShortSecrets(options: Located): void {
  const algorithms = options.member("algorithms")?.items() ?? [];
  const bits = algorithms.flatMap(({ value }) => /^HS(\d{3})$/.exec(String(value))?.[1] ?? []).map(Number);
  const needed = Math.min(...bits) / 8;
  for (const key of options.member("keys")?.items() ?? []) {
    const secret = key.member("kty")?.value === "oct" ? key.member("k") : undefined;
    if (typeof secret?.value !== "string" || secret.value.includes("${")) continue;
    const { length } = Buffer.from(secret.value, "base64url");
    if (length < needed)
      secret.warning(
        `the secret has ${length} bytes, and can be guessed from a token: use at least ${needed} random bytes`,
      );
  }
}

/**
 * Marks the policies whose modules export `onResponse`. Reports policies that declare a response body without that
 * export.
 */
export function nameOnResponse(settings: ProjectSettings, withOnResponse: ReadonlySet<string>): void {
  for (const [name, policy] of settings.policies) {
    if (withOnResponse.has(policy.type)) policy.hasOnResponse = true;
    else if (policy.body && policy.body.response !== "none")
      settings
        .definitionOf(name)
        ?.member("body")
        ?.member("response")
        ?.error(`${policy.type} does not export "onResponse", which would read the response`);
  }
}

/** The modules of a project, and which of them are used by routes and policies. */
export class ProjectModules {
  readonly #used = new Set<string>();

  constructor(readonly paths: ReadonlySet<string>) {}

  /** Marks the module named at `place` as used. Reports an error if it does not exist. */
  use(place: Located): void {
    const path = place.value as string;
    if (this.paths.has(path)) this.#used.add(path);
    else place.error(`there is no module "${path}"${didYouMean(path, this.paths)}`);
  }

  /** In a fixed order. */
  get used(): string[] {
    return [...this.#used].sort();
  }
}
