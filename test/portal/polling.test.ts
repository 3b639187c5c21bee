import { expect, test } from "bun:test";
import { waitingMs } from "../../src/web/portal/queries/polling.ts";

test("a payment is looked for often for two minutes, and rarely afterwards", () => {
  let elapsedMs = 0;
  let reads = 1;
  for (; elapsedMs < 60 * 60_000; reads += 1) {
    const delay = waitingMs(reads);
    expect(delay).toBe(elapsedMs < 118_000 ? 2_000 : 30_000);
    elapsedMs += delay;
  }
  expect(reads).toBeLessThan(200);
});
