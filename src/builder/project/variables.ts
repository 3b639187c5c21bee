// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the syntax of variables in projects, not a template literal.

import type { SecretPlace, SecretUse } from "../../core/artifact/build-report.ts";
import type { BuildVariable, BuildVariables } from "../../core/artifact/build-variables.ts";
import {
  appliesTo,
  type DeploymentEnvironment,
  defaultProductionBranch,
  isProductionBranch,
  productionBranchAfter,
} from "../../core/artifact/environments.ts";
import { artifactUpstream, placeholderPrefix, secretPlaceholder } from "../../core/artifact/secret-references.ts";
import { didYouMean } from "../../lib/text/suggestion.ts";
import { Located } from "../documents/located.ts";
import type { Path, SourceDocument } from "../documents/source-document.ts";

export const noVariables: BuildVariables = { branch: defaultProductionBranch, variables: [] };

const reference = /\$\$\{|\$\{([^}]*)(\}?)/g;
const namePattern = /^[A-Za-z][A-Za-z0-9_]{0,127}$/;

/**
 * Whether a document may contain a secret at a path: elsewhere it would become visible, for example in a policy's name.
 */
type MayHoldSecret = (path: Path) => boolean;

/**
 * Replaces references to variables in a project's documents: by the value of a plain variable, or a placeholder for a
 * secret.
 */
export class VariableResolver {
  readonly #set = new Map<string, BuildVariable>();
  readonly #placeholders = new Map<string, string>();
  readonly #secretPlaces = new Map<string, SecretPlace>();
  readonly #limitedPolicies = new Set<string>();
  readonly #environment: DeploymentEnvironment;
  readonly #salt: number;

  constructor(
    private readonly build: BuildVariables,
    /** The production branch that tollgate.json declares, if any. */
    productionBranch: unknown,
    documents: readonly unknown[],
  ) {
    this.#environment = environmentOf(build, productionBranch);
    for (const variable of build.variables)
      if (appliesTo(variable.environments, this.#environment)) this.#set.set(variable.name, variable);
    this.#salt = this.#hasSecrets ? freeSalt([...documents, build.variables]) : 0;
  }

  /** The plain variables that are set for this deployment. */
  get plain(): Record<string, string> {
    const plain = [...this.#set.values()].filter(({ value }) => value !== undefined);
    return Object.fromEntries(plain.map(({ name, value }) => [name, value!]));
  }

  has(name: string): boolean {
    return this.#set.has(name);
  }

  /** The secrets of the artifact by placeholder. Undefined if none is used. */
  get secrets(): Record<string, string> | undefined {
    if (this.#placeholders.size === 0) return undefined;
    return Object.fromEntries([...this.#placeholders].map(([name, placeholder]) => [placeholder, name]));
  }

  /** The first position of each use, up to a maximum. */
  get secretPlaces(): SecretPlace[] {
    return [...this.#secretPlaces.values()];
  }

  /** The policies whose options have the value of a plain variable that a caller with limited access set. */
  get limitedPolicies(): string[] {
    return [...this.#limitedPolicies];
  }

  /** A message about a value, with `${NAME}` instead of the placeholder. */
  describe(message: string): string {
    let text = message;
    for (const [name, placeholder] of this.#placeholders) text = text.replaceAll(placeholder, `\${${name}}`);
    return text;
  }

  /** Returns the document with all references below it resolved. */
  resolveAll(root: Located, mayHoldSecret: MayHoldSecret): SourceDocument {
    return { ...root.document, value: this.#resolve(root, mayHoldSecret) };
  }

  /** Resolves, in place, the references that a document's members of one name contain. */
  resolveMembers(root: Located, member: string, mayHoldSecret: MayHoldSecret): void {
    // YAML aliases share objects, which must not be resolved twice.
    const visited = new Set<unknown>();
    const path: (string | number)[] = [];
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null || visited.has(value)) return;
      visited.add(value);
      for (const [name, child] of Object.entries(value)) {
        path.push(Array.isArray(value) ? Number(name) : name);
        if (name === member) {
          const place = new Located(root.document, root.findings, [...path], child);
          (value as Record<string, unknown>)[name] = this.#resolve(place, mayHoldSecret, path.length);
        } else visit(child);
        path.pop();
      }
    };
    visit(root.value);
  }

  #resolve(place: Located, mayHoldSecret: MayHoldSecret, depth = 0): unknown {
    if (typeof place.value === "string") return this.#text(place, mayHoldSecret(place.path.slice(depth)));
    if (Array.isArray(place.value)) return place.items().map((item) => this.#resolve(item, mayHoldSecret, depth));
    if (!place.isObject) return place.value;
    return Object.fromEntries(
      place.members().map((member) => [member.name, this.#resolve(member, mayHoldSecret, depth)]),
    );
  }

  #text(place: Located, mayHoldSecret: boolean): string {
    const text = this.#replaced(place, mayHoldSecret);
    if (this.#placeholders.size > 0 && text.includes(placeholderPrefix(this.#salt))) this.#addSecretPlace(place, text);
    return text;
  }

  #addSecretPlace({ document, path }: Located, text: string): void {
    const use = secretUse(path, text);
    const key = JSON.stringify(use);
    if (!use || this.#secretPlaces.has(key) || this.#secretPlaces.size === maxSecretPlaces) return;
    this.#secretPlaces.set(key, { ...use, file: document.file, ...document.positionOf(path) });
  }

  #replaced(place: Located, mayHoldSecret: boolean): string {
    return (place.value as string).replace(reference, (written, name: string | undefined, end: string) => {
      if (name === undefined) return "${";
      if (end === "" || !namePattern.test(name)) {
        place.unresolved("`${` must be followed by the name of a variable and `}`; write `$${` for a literal `${`");
        return written;
      }
      const variable = this.#set.get(name);
      if (!variable) {
        place.unresolved(this.#unset(name));
        return written;
      }
      if (variable.value !== undefined) {
        if (variable.isLimited && place.path[0] === "policies") this.#limitedPolicies.add(String(place.path[1]));
        return variable.value;
      }
      if (!mayHoldSecret) place.error(`the secret "${name}" cannot be used here: ${secretPlaces}`);
      return this.#placeholderOf(name);
    });
  }

  #unset(name: string): string {
    const other = this.build.variables.find((variable) => variable.name === name);
    const command = `tollgate variables set ${name}`;
    if (!other) {
      const remedy = `: set it with \`${command}\`, for \`tollgate dev\` in .env.tollgate`;
      return `the variable "${name}" is not set${didYouMean(name, this.#set.keys()) || remedy}`;
    }
    const { isProduction, branch } = this.#environment;
    const here = isProduction ? "production" : `preview (branch "${branch}")`;
    const both = [...other.environments, isProduction ? "production" : "preview"];
    const options = [
      ...(other.value === undefined ? ["--secret"] : []),
      ...both.map((environment) => `--environment ${environment}`),
    ].join(" ");
    return `the variable "${name}" is not set for ${here}, only for ${other.environments.join(", ")}: set it with \`${command} ${options}\``;
  }

  #placeholderOf(name: string): string {
    const placeholder = this.#placeholders.get(name) ?? secretPlaceholder(this.#salt, this.#placeholders.size);
    this.#placeholders.set(name, placeholder);
    return placeholder;
  }

  get #hasSecrets(): boolean {
    return [...this.#set.values()].some(({ value }) => value === undefined);
  }
}

const secretPlaces =
  'secrets can be used in "upstream", "environment", the "options" of policies, and "credential" and "headers" of providers of models';

/** Looking up a position takes time that grows with the document. */
const maxSecretPlaces = 1000;

/** How the secret at a position is used. Undefined in `environment`, where any value is valid. */
function secretUse([first, second, third]: Path, text: string): SecretUse | undefined {
  if (first === "environment") return undefined;
  if (first === "models" && second === "providers") return { provider: String(third) };
  if (first === "policies") return { policy: String(second) };
  const upstream = artifactUpstream(text);
  return upstream === undefined ? undefined : { upstream };
}

export const secretsInSettings: MayHoldSecret = ([first, second, third, fourth]) =>
  first === "upstream" ||
  first === "environment" ||
  (first === "policies" && third === "options") ||
  (first === "models" && second === "providers" && (fourth === "credential" || fourth === "headers"));

export const secretsInRouting: MayHoldSecret = ([first]) => first === "upstream";

/** The environment that the deployment has after this build declares its production branch. */
function environmentOf(build: BuildVariables, declared: unknown): DeploymentEnvironment {
  const productionBranch = productionBranchAfter(build, typeof declared === "string" ? declared : undefined);
  return { branch: build.branch, isProduction: isProductionBranch(build.branch, productionBranch) };
}

function freeSalt(texts: readonly unknown[]): number {
  const all = JSON.stringify(texts);
  for (let salt = 0; ; salt += 1) if (!all.includes(placeholderPrefix(salt))) return salt;
}
