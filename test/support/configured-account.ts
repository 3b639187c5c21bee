import { beforeEach, expect } from "bun:test";
import { strangerOf } from "./callers.ts";
import type { Client } from "./client.ts";
import type { TestServer } from "./server.ts";

let count = 0;

/** A new account for each test, and the operations on its configuration. */
export class ConfiguredAccount {
  name = "";
  path = "";
  #client: Client | undefined;

  async open(server: TestServer): Promise<void> {
    this.name = `configured-${++count}`;
    this.path = `/v1/accounts/${this.name}/configuration`;
    this.#client = await strangerOf(server.client, this.name);
  }

  /** Sends the token of the account's admin. */
  get client(): Client {
    return this.#client!;
  }

  plan = (configuration: object, more: object = {}) =>
    this.client.post(`${this.path}/$plan`, { configuration: { version: 1, ...configuration }, ...more });

  /** The steps of a plan, such as `create plans shop gold`. */
  steps = async (configuration: object, more: object = {}): Promise<string[]> => {
    const { status, text, body } = await this.plan(configuration, more);
    expect({ status, text }).toEqual({ status: 200, text });
    return body.steps.map(({ kind, parent, name, action }: Record<string, string>) =>
      [action, kind, ...(parent ? [parent] : []), name].join(" "),
    );
  };

  applyPlan = (planId: string) => this.client.post(`${this.path}/$apply`, { planId });

  /** Plans and applies; both must succeed. */
  apply = async (configuration: object, more: object = {}) => {
    const planned = await this.plan(configuration, more);
    expect({ status: planned.status, text: planned.text }).toEqual({ status: 200, text: planned.text });
    const applied = await this.applyPlan(planned.body.planId);
    expect({ status: applied.status, text: applied.text }).toEqual({ status: 200, text: applied.text });
    return applied.body;
  };

  dump = async () => (await this.client.get(this.path)).body.configuration;

  withRole = async (role: string): Promise<Client> =>
    this.client.as((await this.client.post(`/v1/accounts/${this.name}/tokens`, { role })).body.token);
}

export function useConfiguredAccount(server: TestServer): ConfiguredAccount {
  const account = new ConfiguredAccount();
  beforeEach(() => account.open(server));
  return account;
}
