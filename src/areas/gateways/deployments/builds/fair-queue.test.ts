import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import type { Act } from "../../../../core/access.ts";
import { createAccount } from "../../../access/accounts/accounts.ts";
import { begunStep, failedStep, newSteps, succeeded } from "../steps.ts";
import * as buildStore from "./build-store.ts";
import { requestUpload } from "./uploads.ts";

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("builds are taken account by account, however many one of them has queued", async () => {
    const { clock, open } = storage;
    const now = () => clock.now();
    const queue = async (accountName: string, projects: string[]) => {
      const account = await open.write((transaction) =>
        createAccount(transaction, { actor: "test", now: now() }, accountName),
      );
      for (const project of projects) {
        const act: Act = { account, actor: "test", now: now() };
        await open.write(async (transaction) => {
          const { statusId } = await requestUpload(transaction, act, { project, branch: "main" });
          await buildStore.updateBuild(transaction, statusId, now(), { state: "queued" });
        });
      }
    };
    const take = async () => {
      clock.advance(1_000);
      const build = await open.write(async (transaction) => {
        const next = await buildStore.takeNextBuild(transaction, now());
        if (next)
          await buildStore.updateBuild(transaction, next.id, now(), { state: "running", worker_until: now() + 60_000 });
        return next;
      });
      return build && { id: build.id, project: build.project };
    };
    const finish = (id: string) =>
      open.write((transaction) => buildStore.updateBuild(transaction, id, now(), { state: "succeeded" }));

    await queue("greedy", ["g1", "g2", "g3", "g4"]);
    await queue("modest", ["m1", "m2"]);
    await queue("late", ["l1"]);
    const first = (await take())!;
    const second = (await take())!;
    const third = (await take())!;
    expect([first.project, second.project, third.project]).toEqual(["g1", "m1", "l1"]);
    await finish(third.id);
    // Every waiting account has one running build: the one that waited longest is next.
    await finish(first.id);
    await finish(second.id);
    const fourth = (await take())!;
    const fifth = (await take())!;
    expect([fourth.project, fifth.project]).toEqual(["g2", "m2"]);
    // If no other account waits, the account gets all slots.
    expect([(await take())?.project, (await take())?.project, await take()]).toEqual(["g3", "g4", undefined]);
  });
});

test("no step is in progress after a build ended with an error", () => {
  const steps = failedStep(begunStep(succeeded(newSteps(), "upload", 0), "unpack", 1), "build", 2, "too slow");
  expect(Object.values(steps).map(({ status }) => status)).toEqual(["SUCCESS", "ERROR", "PENDING", "ERROR", "PENDING"]);
});
