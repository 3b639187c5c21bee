import { isProductionBranch } from "../../../core/artifact/environments.ts";
import { type Keyring, MissingKey } from "../../../lib/crypto/keyring.ts";
import type { Change } from "../../../platform/storage/change.ts";
import { findRows } from "../../../platform/storage/rows.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { type DeploymentSecrets, OpenSecrets, type ProjectSecret, type SecretScope } from "./open-secrets.ts";
import { variableSealPurpose } from "./variables.ts";

interface SecretsOptions {
  storage: Storage;
  keyring: Keyring;
  /** Undefined if the deployment was deleted. */
  scopeOf(deploymentSeq: number): Promise<SecretScope | undefined>;
  warn(message: string, error?: unknown): void;
}

type VariableChange = Change<"variable.created" | "variable.updated" | "variable.deleted">;

/** The secrets of the deployments that run here, kept current by the change feed. */
export class Secrets {
  readonly #open = new Map<number, OpenSecrets>();

  constructor(private readonly options: SecretsOptions) {
    const changed = (change: VariableChange) => this.#changed(change);
    options.storage.feed.follow(
      "secrets",
      {
        "variable.created": changed,
        "variable.updated": changed,
        "variable.deleted": changed,
        "project.updated": (change) => this.#productionMoved(change),
      },
      () => this.#missed(),
    );
  }

  /** Throws if storage does not respond. */
  async open(deploymentSeq: number, willBeProduction?: boolean): Promise<DeploymentSecrets> {
    let secrets = this.#open.get(deploymentSeq);
    if (!secrets) {
      secrets = new OpenSecrets(deploymentSeq, () => this.#open.delete(deploymentSeq));
      // Registered before they are read, so that a change in the meantime causes another read.
      this.#open.set(deploymentSeq, secrets);
      secrets.loaded = this.#read(secrets);
    }
    const version = secrets.view(willBeProduction);
    try {
      await secrets.loaded;
      return version;
    } catch (error) {
      version.close();
      throw error;
    }
  }

  /** Redacts texts about a deployment, whichever of its versions they concern. */
  redactor(deploymentSeq: number): ((text: string) => string) | undefined {
    return this.#open.get(deploymentSeq)?.redactor;
  }

  /** Repairs the loss of a notification. */
  async refresh(): Promise<void> {
    for (const secrets of [...this.#open.values()]) {
      await this.#read(secrets);
      if (secrets.scope) secrets.setProduction(secrets.scope.isProduction);
    }
  }

  async #read(secrets: OpenSecrets): Promise<void> {
    const { storage, scopeOf } = this.options;
    for (;;) {
      const { changes } = secrets;
      const scope = await scopeOf(secrets.deploymentSeq);
      const rows = scope
        ? await findRows(storage.reads, "project_variables", { account_seq: scope.accountSeq, project: scope.project })
        : [];
      if (changes !== secrets.changes) continue;
      const found = new Map<string, ProjectSecret>();
      for (const { name, sealed, environments, is_limited } of rows)
        if (sealed) found.set(name, this.#secret(name, sealed, JSON.parse(environments), is_limited === 1));
      secrets.replace(scope, found);
      return;
    }
  }

  #missed(): Promise<void> {
    for (const secrets of this.#open.values()) secrets.changes += 1;
    return this.refresh();
  }

  /** Immediately, not after another read: the version that has changed it serves with the same commit. */
  #productionMoved({ accountSeq, subject: project, data }: Change<"project.updated">): void {
    for (const secrets of this.#open.values()) {
      secrets.changes += 1;
      const { scope } = secrets;
      if (scope?.accountSeq !== accountSeq || scope.project !== project) continue;
      secrets.setProduction(isProductionBranch(scope.branch, data.productionBranch));
    }
  }

  #changed({ accountSeq, data: { project, name, secret } }: VariableChange): void {
    for (const secrets of this.#open.values()) {
      secrets.changes += 1;
      const { scope } = secrets;
      if (scope?.accountSeq !== accountSeq || scope.project !== project) continue;
      secrets.set(
        name,
        secret
          ? this.#secret(name, Buffer.from(secret.sealed, "base64"), secret.environments, secret.isLimited === true)
          : undefined,
      );
    }
  }

  /** Decrypted on demand, because most secrets are of other environments. */
  #secret(name: string, sealed: Uint8Array, environments: readonly string[], isLimited: boolean): ProjectSecret {
    const unseal = () => this.#unseal(sealed, name);
    let unsealed: { value: string | undefined } | undefined;
    return {
      environments,
      isLimited,
      get value() {
        unsealed ??= { value: unseal() };
        return unsealed.value;
      },
    };
  }

  /** The value of a variable. Undefined, as if it were not set, if its encryption key is lost. */
  #unseal(sealed: Uint8Array, name: string): string | undefined {
    try {
      return this.options.keyring.open(sealed, variableSealPurpose);
    } catch (error) {
      if (!(error instanceof MissingKey)) throw error;
      this.options.warn(`the secret ${name} cannot be decrypted: set it again`, error);
      return undefined;
    }
  }
}
