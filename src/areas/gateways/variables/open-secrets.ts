import { appliesTo, type DeploymentEnvironment } from "../../../core/artifact/environments.ts";
import { Redaction } from "./redaction.ts";

/** The properties of a deployment that select its secrets. */
export interface SecretScope extends DeploymentEnvironment {
  accountSeq: number;
  project: string;
}

/** A secret of the project, for any environments. */
export interface ProjectSecret {
  environments: readonly string[];
  /** A caller with limited access set it. */
  isLimited: boolean;
  /** The value of the secret. Undefined if it cannot be decrypted. */
  readonly value: string | undefined;
}

/** The current secrets of one deployment. */
export interface DeploymentSecrets {
  readonly values: ReadonlyMap<string, string>;
  /** The names of those that a caller with limited access set. */
  readonly limited: ReadonlySet<string>;
  /** Calls the listener after `values` has changed, with the changed names. Returns a function that unsubscribes. */
  onChange(listener: (names: ReadonlySet<string>) => void): () => void;
  redact(text: string): string;
  /** Must be called once by the code that opened them. */
  close(): void;
}

/** The secrets of one deployment on this node, for all of its versions. */
export class OpenSecrets {
  scope: SecretScope | undefined;
  loaded: Promise<void> | undefined;
  /** The number of received changes: values that were read before a change are not used. */
  changes = 0;
  #secrets: ReadonlyMap<string, ProjectSecret> = new Map();
  readonly #versions = new Set<VersionSecrets>();
  readonly #redaction = new Redaction();
  #hasHadSecrets = false;

  constructor(
    readonly deploymentSeq: number,
    private readonly closed: () => void,
  ) {}

  /** Redacts the secrets in a text. Undefined if there is nothing to redact. */
  get redactor(): ((text: string) => string) | undefined {
    return this.#hasHadSecrets ? this.redact : undefined;
  }

  readonly redact = (text: string): string => this.#redaction.apply(text);

  view(willBeProduction: boolean | undefined): DeploymentSecrets {
    const version = new VersionSecrets(this, willBeProduction);
    this.#versions.add(version);
    this.#update(version);
    return version;
  }

  close(version: VersionSecrets): void {
    this.#versions.delete(version);
    if (this.#versions.size === 0) this.closed();
  }

  replace(scope: SecretScope | undefined, secrets: ReadonlyMap<string, ProjectSecret>): void {
    this.scope = scope;
    this.#secrets = secrets;
    this.#updateAll();
  }

  set(name: string, secret: ProjectSecret | undefined): void {
    const secrets = new Map(this.#secrets);
    if (secret) secrets.set(name, secret);
    else secrets.delete(name);
    this.#secrets = secrets;
    this.#updateAll();
  }

  setProduction(isProduction: boolean): void {
    if (this.scope) this.scope = { ...this.scope, isProduction };
    for (const version of this.#versions) version.willBeProduction = undefined;
    this.#updateAll();
  }

  #updateAll(): void {
    for (const version of this.#versions) this.#update(version);
  }

  #update(version: VersionSecrets): void {
    const values = this.#valuesFor(version.willBeProduction);
    this.#redaction.add(values);
    if (values.size > 0) this.#hasHadSecrets = true;
    version.become(values, new Set([...values.keys()].filter((name) => this.#secrets.get(name)?.isLimited)));
  }

  #valuesFor(willBeProduction: boolean | undefined): Map<string, string> {
    const values = new Map<string, string>();
    if (!this.scope) return values;
    const environment = { ...this.scope, isProduction: willBeProduction ?? this.scope.isProduction };
    for (const [name, secret] of this.#secrets) {
      const value = appliesTo(secret.environments, environment) ? secret.value : undefined;
      if (value !== undefined) values.set(name, value);
    }
    return values;
  }
}

/** The secrets of one version, which may be about to make its branch production. */
class VersionSecrets implements DeploymentSecrets {
  values: ReadonlyMap<string, string> = new Map();
  limited: ReadonlySet<string> = new Set();
  readonly #listeners = new Set<(names: ReadonlySet<string>) => void>();

  constructor(
    private readonly secrets: OpenSecrets,
    public willBeProduction: boolean | undefined,
  ) {}

  get redact(): (text: string) => string {
    return this.secrets.redact;
  }

  onChange(listener: (names: ReadonlySet<string>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.secrets.close(this);
  }

  become(values: ReadonlyMap<string, string>, limited: ReadonlySet<string>): void {
    const before = this.values;
    const hasChanged = (name: string) =>
      before.get(name) !== values.get(name) || this.limited.has(name) !== limited.has(name);
    const names = new Set([...before.keys(), ...values.keys()].filter(hasChanged));
    if (names.size === 0) return;
    this.values = values;
    this.limited = limited;
    for (const listener of this.#listeners) listener(names);
  }
}
