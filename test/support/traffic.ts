import { createAccount } from "../../src/areas/access/accounts/accounts.ts";
import { deploymentOfBranch } from "../../src/areas/gateways/deployments/deployments.ts";
import { activateVersion, addVersion } from "../../src/areas/gateways/deployments/versions/versions.ts";
import type { CountedVersion } from "../../src/areas/insight/analytics/traffic-counter.ts";
import type { AccountReference, Act } from "../../src/core/access.ts";
import type { Storage } from "../../src/platform/storage/storage.ts";

export interface CountedDeployment {
  account: AccountReference;
  name: string;
  seq: number;
  version: CountedVersion;
}

/** An account with a deployment that serves, without a server. */
export async function makeDeployment(storage: Storage, accountName: string, now: number): Promise<CountedDeployment> {
  const account = await storage.write((transaction) => createAccount(transaction, { actor: "test", now }, accountName));
  return addDeployment(storage, account, "project", now);
}

export function addDeployment(
  storage: Storage,
  account: AccountReference,
  project: string,
  now: number,
): Promise<CountedDeployment> {
  const act: Act = { account, actor: "test", now };
  return storage.write(async (transaction) => {
    const { seq, name } = await deploymentOfBranch(transaction, act, project, "main");
    const build = {
      id: crypto.randomUUID(),
      deployment_seq: seq,
      source_seq: null,
      author: JSON.stringify({ type: "system", id: "test" }),
    };
    const version = await addVersion(transaction, build, { text: "{}", routes: 1 }, now);
    await activateVersion(transaction, act, { seq, name }, version, "deployment.succeeded");
    const counted = { accountSeq: account.seq, deploymentSeq: seq, versionSeq: version.seq };
    return { account, name, seq, version: counted };
  });
}
