import type { Artifact, ArtifactRoute } from "../../core/artifact/artifact.ts";
import type { SecretUse } from "../../core/artifact/build-report.ts";
import type { ArtifactModels, ModelProvider } from "../../core/artifact/models-schema.ts";
import { originAndBasePath, replacePlaceholders } from "../../core/artifact/secret-references.ts";
import type { ArtifactUpstream, UpstreamTls } from "../../core/artifact/upstream-schema.ts";
import { tlsFault } from "../../core/artifact/upstream-tls.ts";
import { headerValue } from "../../core/http/header-names.ts";

/**
 * A part of an artifact that cannot be used with the current secrets. The message names secrets, never their values.
 */
export class UnusableSecret extends Error {
  constructor(
    message: string,
    readonly use: SecretUse | undefined,
  ) {
    super(message);
  }
}

/** An artifact with the current values of its secrets instead of placeholders. */
export class ResolvedArtifact {
  readonly #placeholders: RegExp | undefined;

  constructor(
    private readonly artifact: Artifact,
    private readonly secrets: ReadonlyMap<string, string>,
    private readonly limitedSecrets: ReadonlySet<string> = new Set(),
  ) {
    const placeholders = Object.keys(artifact.secrets ?? {});
    this.#placeholders = placeholders.length === 0 ? undefined : new RegExp(placeholders.join("|"), "g");
  }

  /** Throws an UnusableSecret. */
  policyOptions(name: string): unknown {
    return this.#resolve(this.artifact.policies[name]?.options, { policy: name });
  }

  /** Whether a caller with limited access built the policy, or set a variable in its options. */
  isLimited(name: string): boolean {
    const { isLimited, limitedPolicies, policies } = this.artifact;
    if (isLimited || limitedPolicies?.includes(name)) return true;
    if (this.limitedSecrets.size === 0 || !this.#placeholders) return false;
    const used = JSON.stringify(policies[name]?.options)?.match(this.#placeholders) ?? [];
    return used.some((placeholder) => this.limitedSecrets.has(this.artifact.secrets![placeholder]!));
  }

  /** The route with its upstream. Throws an UnusableSecret. */
  route(route: ArtifactRoute): ArtifactRoute {
    const { target } = route;
    if (!("upstream" in target)) return route;
    const resolved = this.#resolve(target.upstream, target) as string;
    if (resolved === target.upstream) return route;
    const upstream = originAndBasePath(resolved);
    if (upstream === undefined) {
      throw new UnusableSecret(
        `The upstream ${this.#shown(target.upstream)} is not an http or https origin; ${this.#remedy(target.upstream)}.`,
        target,
      );
    }
    return { ...route, target: { ...target, upstream } };
  }

  /** An upstream with options. Throws an UnusableSecret. */
  upstream(index: number): ArtifactUpstream {
    const upstream = this.artifact.upstreams?.[index];
    if (!upstream) throw new Error(`A route names the upstream ${index}, which does not exist.`);
    if (!this.hasSecrets(upstream)) return upstream;
    const targets = upstream.targets.map(({ url, weight }) => {
      const resolved = originAndBasePath(this.#resolve(url, { upstream: url }) as string);
      if (resolved === undefined || (upstream.tls && !resolved.startsWith("https:"))) {
        const expected = upstream.tls ? "https" : "http or https";
        throw new UnusableSecret(
          `The upstream ${this.#shown(url)} is not an ${expected} origin; ${this.#remedy(url)}.`,
          { upstream: url },
        );
      }
      return { url: resolved, weight };
    });
    return { ...upstream, targets, ...(upstream.tls && { tls: this.#tls(upstream.tls) }) };
  }

  /** The URLs of an upstream's targets, with the names of secrets instead of their values. */
  labelsOf(index: number): string[] {
    const { targets = [] } = this.artifact.upstreams?.[index] ?? {};
    return targets.map(({ url }) => this.#shown(url));
  }

  /** The providers and aliases. Throws an UnusableSecret. */
  models(): ArtifactModels | undefined {
    const { models } = this.artifact;
    if (!models || !this.hasSecrets(models)) return models;
    const providers = Object.entries(models.providers).map(([name, provider]) => {
      const resolved = this.#resolve(provider, { provider: name }) as ModelProvider;
      const values = [resolved.credential ?? "", ...Object.values(resolved.headers ?? {})];
      if (values.some((value) => !headerValue.safeParse(value).success))
        throw new UnusableSecret(
          `The credential or a header of the provider ${name} is not valid as the value of a header; ${this.#remedy(provider)}.`,
          { provider: name },
        );
      return [name, resolved] as const;
    });
    return { ...models, providers: Object.fromEntries(providers) };
  }

  #tls(tls: UpstreamTls): UpstreamTls {
    const resolved: UpstreamTls = {};
    for (const [member, text] of Object.entries(tls) as [keyof UpstreamTls, string][])
      resolved[member] = this.#resolve(text, { upstream: text }) as string;
    const fault = tlsFault(resolved);
    if (!fault) return resolved;
    const text = tls[fault.member] ?? tls.cert ?? tls.key ?? "";
    throw new UnusableSecret(`"tls.${fault.member}" of an upstream ${fault.message}; ${this.#remedy(tls)}.`, {
      upstream: text,
    });
  }

  /** `context.environment`: the project's environment, and all secrets by name. Missing secrets are omitted. */
  get environment(): Record<string, string> {
    const environment: Record<string, string> = Object.fromEntries(this.secrets);
    for (const [name, value] of Object.entries(this.artifact.environment)) {
      delete environment[name];
      try {
        environment[name] = this.#resolve(value) as string;
      } catch (error) {
        if (!(error instanceof UnusableSecret)) throw error;
      }
    }
    return environment;
  }

  /** The error for options with secrets: the original schema errors may quote their values. */
  unusableOptions(name: string): UnusableSecret {
    const { options } = this.artifact.policies[name]!;
    return new UnusableSecret(
      `The options of the policy ${name} are not valid with the current values of its secrets; ${this.#remedy(options)}.`,
      { policy: name },
    );
  }

  hasSecrets(value: unknown): boolean {
    return this.#placeholders !== undefined && replacePlaceholders(value, (text) => this.#shown(text)) !== value;
  }

  #resolve(value: unknown, use?: SecretUse): unknown {
    const placeholders = this.#placeholders;
    if (!placeholders) return value;
    return replacePlaceholders(value, (text) => text.replace(placeholders, (found) => this.#valueOf(found, use)));
  }

  #valueOf(placeholder: string, use: SecretUse | undefined): string {
    const name = this.artifact.secrets![placeholder]!;
    const value = this.secrets.get(name);
    if (value === undefined) throw new UnusableSecret(`The secret ${name} is not set for this environment.`, use);
    return value;
  }

  /** If only some of several secrets are wrong, the server cannot determine which. */
  #remedy(value: unknown): string {
    const placeholders = new Set(JSON.stringify(value).match(this.#placeholders!));
    const commands = [...placeholders].map(
      (placeholder) => `\`tollgate variables set ${this.artifact.secrets![placeholder]} --secret\``,
    );
    return `${commands.join(" or ")} corrects that`;
  }

  #shown(text: string): string {
    if (!this.#placeholders) return text;
    return text.replace(this.#placeholders, (found) => `\${${this.artifact.secrets![found]}}`);
  }
}

/** The initial environment of code, without secrets, because it is written to a temporary file. */
export function plainEnvironment({ environment, secrets = {} }: Artifact): Record<string, string> {
  const placeholders = Object.keys(secrets);
  const isPlain = ([, value]: [string, string]) => !placeholders.some((placeholder) => value.includes(placeholder));
  return Object.fromEntries(Object.entries(environment).filter(isPlain));
}
