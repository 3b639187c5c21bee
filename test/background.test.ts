import { expect, test } from "bun:test";
import fc from "fast-check";
import { actionNames, type Round, runRound } from "./support/background-round.ts";
import { BackgroundScene, briefFaults, stall } from "./support/background-scene.ts";
import { eachEngine } from "./support/engines.ts";
import { forAtMost } from "./support/for-at-most.ts";
import type { Fault } from "./support/postgres-proxy.ts";

const delay = fc.integer({ min: 1, max: 50 }).map((milliseconds): Fault => ({ kind: "delay", milliseconds }));
const fault = fc.oneof(
  { weight: 4, arbitrary: delay },
  { weight: 12, arbitrary: fc.constantFrom(...briefFaults) },
  { weight: 1, arbitrary: fc.constant(stall) },
);
const disturbances = fc.array(fc.record({ after: fc.nat(60), fault }), { minLength: 5, maxLength: 30, size: "max" });
const step = fc.record({ action: fc.constantFrom(...actionNames), choice: fc.nat(99) });
const lane = fc.array(step, { minLength: 4, maxLength: 10, size: "max" });
const round: fc.Arbitrary<Round> = fc.record({
  lanes: fc.array(lane, { minLength: 4, maxLength: 6, size: "max" }),
  disturbances,
});

eachEngine((engine) => {
  test("no data is lost, orphaned or cached incorrectly while all background tasks run during writes", async () => {
    await using scene = await BackgroundScene.open(engine.name);
    await fc.assert(
      fc.asyncProperty(
        round,
        forAtMost(2000, (each) => runRound(scene, each)),
      ),
      // Requests interleave otherwise when a round is repeated, so a smaller one proves nothing.
      { numRuns: 20, endOnFailure: true },
    );
    expect(scene.figures.rounds).toBeGreaterThan(0);
  });
});
