import { expect, test } from "bun:test";
import { ManualTimers } from "../../../test/support/manual-timers.ts";
import { type Lease, type LeaseHolder, OpenLeases } from "./open-leases.ts";

class TestLease implements Lease {
  recalls = 0;

  constructor(readonly holder: LeaseHolder = { isLate: false }) {}

  recall(): void {
    this.recalls += 1;
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a recall ends when all leases are returned, and units are granted again after those who waited have decided", async () => {
  const timers = new ManualTimers();
  const leases = new OpenLeases(timers);
  const [one, other] = [new TestLease(), new TestLease()];
  leases.granted(one);
  leases.granted(other);
  const recalled = leases.recall()!;
  expect(leases.recall()).toBe(recalled);
  expect([one.recalls, other.recalls]).toEqual([1, 1]);
  leases.returned(one);
  expect(leases.isRecalling).toBe(true);
  leases.returned(other);
  let wasRecalling: boolean | undefined;
  await recalled.then(() => (wasRecalling = leases.isRecalling));
  expect(wasRecalling).toBe(true);
  expect(leases.recall()).toBeUndefined();
  await turn();
  expect(leases.isRecalling).toBe(false);
  expect(timers.waiting).toBe(0);
});

test("a recall ends at its deadline, and nothing waits for the process until it responds", async () => {
  const timers = new ManualTimers();
  const [leases, leasesOfAnother] = [new OpenLeases(timers), new OpenLeases(timers)];
  const stalled = { isLate: false };
  const [lease, second] = [new TestLease(stalled), new TestLease(stalled)];
  leases.granted(lease);
  leasesOfAnother.granted(second);
  const recalled = leases.recall()!;
  timers.end();
  await recalled;
  await turn();
  expect(stalled.isLate).toBe(true);
  expect(leases.size).toBe(1);
  expect(leases.recall()).toBeUndefined();
  expect(leasesOfAnother.recall()).toBeUndefined();

  const prompt = new TestLease();
  leases.granted(prompt);
  const again = leases.recall()!;
  leases.returned(prompt);
  await again;
  expect([lease.recalls, prompt.recalls]).toEqual([1, 1]);

  await turn();
  stalled.isLate = false;
  const last = leases.recall()!;
  leases.returned(lease);
  await last;
  expect(lease.recalls).toBe(2);
});
