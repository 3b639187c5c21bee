import { expect, test } from "bun:test";
import type { LeasedUnits } from "../leases/leased-units.ts";
import { OpenLeases } from "../leases/open-leases.ts";
import { GrantedLeases, type Leasable } from "./granted-leases.ts";
import type { CountingToWorker, LeaseReport } from "./messages.ts";

/** A counter of requests. */
class TestUnits implements LeasedUnits {
  readonly leases = new OpenLeases();
  held = 0;
  used = 0;

  constructor(private readonly max = 1_000) {}

  available = () => this.max - this.held - this.used;
  hold(units: number): void {
    this.held += units;
  }
  settle(units: number): void {
    this.held -= units;
    this.used += units;
  }
  release(units: number): void {
    this.held -= units;
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const leasable = (units: TestUnits): Leasable => ({ units, detail: () => ({ remaining: units.available() }) });

function scene() {
  const sent: CountingToWorker[] = [];
  const leases = new GrantedLeases({ send: (message) => void sent.push(message), processes: () => 1 });
  const report = (...reports: LeaseReport[]) => leases.report(reports);
  return { sent, leases, report };
}

test("a late report that a lease is returned does not end one that was granted since", async () => {
  const { sent, leases, report } = scene();
  const units = new TestUnits();
  leases.grant(1, 16, leasable(units));
  void units.leases.recall();
  // The worker has used everything before the recall arrives, which ends the recall.
  report([1, 16, 16, 0, 0, "open"]);
  await turn();
  report([1, 16, 16, 0, 20, "open"]);
  expect(sent.map(([kind, , granted]) => [kind, granted])).toEqual([
    ["granted", 16],
    ["recall", undefined],
    ["granted", 36],
  ]);
  // Now it responds to the recall.
  report([1, 16, 16, 0, 0, "returned"]);
  expect(units.held).toBe(20);
  expect(units.leases.size).toBe(1);
  expect(units.leases.recall()).toBeInstanceOf(Promise);
  report([1, 36, 16, 20, 0, "returned"]);
  expect([units.held, units.used, units.leases.size]).toEqual([0, 16, 0]);
});

test("units return to the counter that they came from, also if the lease is asked for with another one", () => {
  const { sent, leases, report } = scene();
  const [before, now] = [new TestUnits(), new TestUnits()];
  leases.grant(1, 16, leasable(before));
  leases.grant(1, 16, leasable(now));
  expect(sent).toHaveLength(1);
  expect([before.held, now.held]).toEqual([16, 0]);
  report([1, 16, 6, 10, 0, "open"]);
  expect([before.held, before.used, now.held, now.used]).toEqual([0, 6, 0, 0]);
  leases.grant(1, 16, leasable(now));
  expect([before.held, now.held]).toEqual([0, 16]);
  report([1, 32, 7, 25, 0, "open"]);
  expect([before.used, now.held, now.used]).toEqual([6, 0, 1]);
});

test("a report that is repeated or arrives late changes nothing", () => {
  const { leases, report } = scene();
  const units = new TestUnits();
  leases.grant(1, 30, leasable(units));
  const first: LeaseReport = [1, 30, 5, 0, 0, "open"];
  const second: LeaseReport = [1, 30, 9, 1, 0, "open"];
  report(first, second, second, first);
  expect([units.held, units.used]).toEqual([20, 9]);
  report([1, 30, 9, 21, 0, "ended"], second, [1, 30, 9, 21, 0, "ended"]);
  expect([units.held, units.used, units.leases.size, leases.size]).toEqual([0, 9, 0, 0]);
});

test("a lease that ended while units were under way returns them", () => {
  const { leases, report } = scene();
  const units = new TestUnits();
  leases.grant(1, 16, leasable(units));
  leases.grant(1, 16, leasable(units));
  report([1, 16, 16, 0, 0, "ended"]);
  expect([units.held, units.used, leases.size]).toEqual([16, 16, 1]);
  report([1, 32, 0, 0, 0, "ended"]);
  expect([units.held, units.used, leases.size]).toEqual([0, 16, 0]);
});

test("a worker that has missed a deadline counts as responding after its next report", () => {
  const { leases, report } = scene();
  leases.isLate = true;
  report();
  expect(leases.isLate).toBe(false);
});
