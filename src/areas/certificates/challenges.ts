import type { Clock } from "../../lib/time/clock.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import type { Challenges } from "./acme-directory.ts";
import * as store from "./store.ts";

const tokenPattern = /^[\w-]{1,128}$/;

/** HTTP-01 challenges in storage, because the authority may connect to any node. */
export class StoredChallenges implements Challenges {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
  ) {}

  async put(token: string, keyAuthorization: string): Promise<void> {
    const row = { token, key_authorization: keyAuthorization, created_on: this.clock.now() };
    await this.storage.write((transaction) => store.addChallenge(transaction, row));
  }

  async remove(token: string): Promise<void> {
    await this.storage.write((transaction) => store.deleteChallenge(transaction, token));
  }

  /** Returns the response to a challenge, or undefined if it does not exist. */
  async find(token: string): Promise<string | undefined> {
    return tokenPattern.test(token) ? store.findChallenge(this.storage.reads, token) : undefined;
  }
}
