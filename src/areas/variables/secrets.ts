import { appliesTo, type DeploymentEnvironment } from "../../core/artifact/environments.ts";
import { type Keyring, MissingKey } from "../../lib/keyring.ts";
import type { Change } from "../../platform/storage/change.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { Redaction } from "./redaction.ts";
import { allVariables } from "./store.ts";
import { variableSealPurpose } from "./variables.ts";

/** Whose secrets a deployment has. */
export interface SecretScope extends DeploymentEnvironment {
  accountSeq: number;
  project: string;
}

export interface SecretsOptions {
  storage: Storage;
  keyring: Keyring;
  /** Undefined where the deployment has gone. */
  scopeOf(deploymentSeq: number): Promise<SecretScope | undefined>;
  warn(message: string, error?: unknown): void;
}

/** The secrets of one deployment, always the current ones. */
export interface DeploymentSecrets {
  readonly values: ReadonlyMap<string, string>;
  /** Called after `values` has changed, with the names of what did; returns how to stop that. */
  onChange(listener: (names: ReadonlySet<string>) => void): () => void;
  redact(text: string): string;
  /** Called once by whoever opened them. */
  close(): void;
}

type VariableChange = Change<"variable.created" | "variable.updated" | "variable.deleted">;

/** The secrets of the deployments that run here, followed by the change feed. */
export class Secrets {
  readonly #open = new Map<number, OpenSecrets>();

  constructor(private readonly options: SecretsOptions) {
    const changed = (change: VariableChange) => this.#changed(change);
    options.storage.feed.follow("secrets", {
      "variable.created": changed,
      "variable.updated": changed,
      "variable.deleted": changed,
      "project.updated": ({ accountSeq, subject }) => void this.#reload(accountSeq!, subject),
    });
  }

  /** Throws where storage does not respond. */
  async open(deploymentSeq: number): Promise<DeploymentSecrets> {
    let secrets = this.#open.get(deploymentSeq);
    if (!secrets) {
      secrets = new OpenSecrets(deploymentSeq, () => this.#open.delete(deploymentSeq));
      // Before they are read, so that a change that comes meanwhile has them read again.
      this.#open.set(deploymentSeq, secrets);
      secrets.loaded = this.#read(secrets);
    }
    secrets.holders += 1;
    try {
      await secrets.loaded;
      return secrets;
    } catch (error) {
      secrets.close();
      throw error;
    }
  }

  /** For texts about a deployment, whichever of its versions they are of. */
  redactor(deploymentSeq: number): ((text: string) => string) | undefined {
    return this.#open.get(deploymentSeq)?.redactor;
  }

  /** Makes good what a lost notice of a change left behind. */
  async refresh(): Promise<void> {
    for (const secrets of [...this.#open.values()]) await this.#read(secrets);
  }

  async #read(secrets: OpenSecrets): Promise<void> {
    const { storage, scopeOf } = this.options;
    for (;;) {
      const { changes } = secrets;
      const scope = await scopeOf(secrets.deploymentSeq);
      const rows = scope ? await allVariables(storage.reads, scope.accountSeq, scope.project) : [];
      if (changes !== secrets.changes) continue;
      const values = new Map<string, string>();
      for (const { name, sealed, environments } of rows) {
        const value = sealed && appliesTo(JSON.parse(environments), scope!) ? this.#unseal(sealed, name) : undefined;
        if (value !== undefined) values.set(name, value);
      }
      secrets.replace(scope, values);
      return;
    }
  }

  async #reload(accountSeq: number, project: string): Promise<void> {
    for (const secrets of [...this.#open.values()]) {
      if (secrets.scope?.accountSeq !== accountSeq || secrets.scope.project !== project) continue;
      secrets.changes += 1;
      await this.#read(secrets).catch((error) =>
        this.options.warn("secrets could not be read and will be read again", error),
      );
    }
  }

  #changed({ accountSeq, data: { project, name, secret } }: VariableChange): void {
    for (const secrets of this.#open.values()) {
      secrets.changes += 1;
      const { scope } = secrets;
      if (scope?.accountSeq !== accountSeq || scope.project !== project) continue;
      const isSet = secret !== null && appliesTo(secret.environments, scope);
      secrets.set(name, isSet ? this.#unseal(Buffer.from(secret.sealed, "base64"), name) : undefined);
    }
  }

  /** Undefined, as if it were not set, where the key that it is sealed under is lost. */
  #unseal(sealed: Uint8Array, name: string): string | undefined {
    try {
      return this.options.keyring.open(sealed, variableSealPurpose);
    } catch (error) {
      if (!(error instanceof MissingKey)) throw error;
      this.options.warn(`the secret ${name} cannot be unsealed: set it again`, error);
      return undefined;
    }
  }
}

class OpenSecrets implements DeploymentSecrets {
  values: ReadonlyMap<string, string> = new Map();
  scope: SecretScope | undefined;
  holders = 0;
  loaded: Promise<void> | undefined;
  /** How many changes came in: what was read before one of them does not count. */
  changes = 0;
  readonly #redaction = new Redaction();
  readonly #listeners = new Set<(names: ReadonlySet<string>) => void>();
  #hasHadSecrets = false;

  constructor(
    readonly deploymentSeq: number,
    private readonly closed: () => void,
  ) {}

  /** Undefined while there is nothing to redact. */
  get redactor(): ((text: string) => string) | undefined {
    return this.#hasHadSecrets ? this.redact : undefined;
  }

  readonly redact = (text: string): string => this.#redaction.apply(text);

  onChange(listener: (names: ReadonlySet<string>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  replace(scope: SecretScope | undefined, values: ReadonlyMap<string, string>): void {
    this.scope = scope;
    const names = [...new Set([...this.values.keys(), ...values.keys()])];
    this.#become(values, new Set(names.filter((name) => this.values.get(name) !== values.get(name))));
  }

  set(name: string, value: string | undefined): void {
    if (this.values.get(name) === value) return;
    const values = new Map(this.values);
    if (value === undefined) values.delete(name);
    else values.set(name, value);
    this.#become(values, new Set([name]));
  }

  close(): void {
    this.holders -= 1;
    if (this.holders === 0) this.closed();
  }

  #become(values: ReadonlyMap<string, string>, names: ReadonlySet<string>): void {
    if (names.size === 0) return;
    this.values = values;
    if (values.size > 0) this.#hasHadSecrets = true;
    this.#redaction.add(values);
    for (const listener of this.#listeners) listener(names);
  }
}
