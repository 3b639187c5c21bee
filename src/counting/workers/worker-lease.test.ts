import { expect, test } from "bun:test";
import { WorkerLease } from "./worker-lease.ts";

class TestLease extends WorkerLease {
  override isValidAt = () => true;
  override update(): void {}
  override forget(): void {}
  override countLater = () => undefined;
}

/** Returns the totals of the next report. */
const report = (lease: WorkerLease) => {
  const { wanted, isEnded } = lease.renew(0);
  const [, granted, used, returned] = lease.report("open", wanted);
  return { granted, used, returned, wanted, isEnded };
};

test("a lease is for twice as many requests as recently, and ends after some reports without requests", () => {
  const lease = new TestLease(1);
  lease.grant(16, { remaining: 1_000 });
  for (let request = 0; request < 10; request++) lease.use();
  expect(report(lease)).toEqual({ granted: 16, used: 10, returned: 0, wanted: 14, isEnded: false });
  lease.grant(30, { remaining: 1_000 });

  // A pause between two reports leaves units for the requests after it.
  expect(report(lease)).toEqual({ granted: 30, used: 10, returned: 0, wanted: 0, isEnded: false });
  expect(lease.left).toBe(20);
  for (let request = 0; request < 10; request++) lease.use();
  expect(report(lease)).toEqual({ granted: 30, used: 20, returned: 0, wanted: 10, isEnded: false });

  const ends: boolean[] = [];
  let returned = 0;
  while (!ends.at(-1) && ends.length < 10) {
    const next = report(lease);
    ({ returned } = next);
    ends.push(next.isEnded);
  }
  expect(ends.length).toBe(3);
  expect(returned).toBe(10);
  expect(lease.left).toBe(0);
});

test("a grant that is repeated or arrives late changes nothing", () => {
  const lease = new TestLease(1);
  lease.grant(16, { remaining: 1_000 });
  lease.grant(16, { remaining: 1_000 });
  expect(lease.left).toBe(16);
  lease.grant(40, { remaining: 1_000 });
  lease.grant(16, { remaining: 1_000 });
  expect(lease.left).toBe(40);
});
