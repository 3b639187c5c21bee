import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import type { Act } from "../../../../core/access.ts";
import { createAccount } from "../../../access/accounts/accounts.ts";
import { splitTraffic, stopCanary } from "../canary-releases/canaries.ts";
import { deploymentOfBranch, findDeployment } from "../deployments.ts";
import { activateVersion, addVersion, keptVersions, listVersions, readArtifact, stageVersion } from "./versions.ts";

const firstPage = { limit: 1000, offset: 0 };

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("the newest versions are kept, with the one that serves, and no artifact that none of them has", async () => {
    const now = storage.clock.now();
    const { reads } = storage.open;
    const account = await storage.open.write((transaction) =>
      createAccount(transaction, { actor: "test", now }, "kept"),
    );
    const act: Act = { account, actor: "test", now };
    const { seq, name } = await storage.open.write((transaction) => deploymentOfBranch(transaction, act, "p", "main"));

    /** Builds a version, which serves unless an older one is selected. */
    const add = (text: string, serving?: Awaited<ReturnType<typeof addVersion>>) =>
      storage.open.write(async (transaction) => {
        const build = { id: crypto.randomUUID(), deployment_seq: seq, source_seq: null, author: "{}" };
        const version = await addVersion(
          transaction,
          build,
          { text: JSON.stringify({ environment: { text } }), routes: 1 },
          now,
        );
        await activateVersion(transaction, act, { seq, name }, serving ?? version, "deployment.succeeded");
        return version;
      });
    const numbers = async () => {
      const deployment = await findDeployment(reads, account.seq, name);
      return (await listVersions(reads, deployment, firstPage)).data.map(({ number }) => number);
    };

    const first = await add("first");
    const again = await add("first");
    for (let number = 3; number <= keptVersions + 2; number++) await add(`version ${number}`, first);
    // The first, because it serves, and the newest after it.
    expect(await numbers()).toEqual([1, ...Array.from({ length: keptVersions }, (_, at) => at + 3)]);
    expect(again.artifact_hash).toBe(first.artifact_hash);
    expect(await readArtifact(reads, seq, first.artifact_hash)).toMatchObject({ environment: { text: "first" } });

    const last = await add("last");
    expect(await numbers()).toEqual(Array.from({ length: keptVersions }, (_, at) => at + 4));
    expect(await readArtifact(reads, seq, first.artifact_hash)).toBeUndefined();
    expect(await readArtifact(reads, seq, last.artifact_hash)).toMatchObject({ environment: { text: "last" } });

    // Versions that get no traffic are limited too. The canary is kept until its release ends.
    const addStaged = (text: string) =>
      storage.open.write(async (transaction) => {
        const artifact = { text: JSON.stringify({ environment: { text } }), routes: 1 };
        const version = await addVersion(
          transaction,
          { id: crypto.randomUUID(), deployment_seq: seq, source_seq: null, author: "{}" },
          artifact,
          now,
        );
        await stageVersion(transaction, act, { seq, name }, version);
        return version;
      });
    const canary = await addStaged("canary");
    const splits = [last, canary].map(({ number }) => ({ versionNumber: number, weight: 1 }));
    await storage.open.write((transaction) => splitTraffic(transaction, act, name, { splits }, () => {}));
    for (let more = 0; more < keptVersions; more++) await addStaged(`staged ${more}`);
    const newest = Array.from({ length: keptVersions }, (_, at) => canary.number + 1 + at);
    expect(await numbers()).toEqual([last.number, canary.number, ...newest]);
    await storage.open.write((transaction) => stopCanary(transaction, act, name, () => {}));
    await addStaged("one more");
    expect(await numbers()).toEqual([last.number, ...newest.slice(1), newest.at(-1)! + 1]);
  });
});
