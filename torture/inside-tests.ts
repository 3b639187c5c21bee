import { afterEach, expect, test } from "bun:test";
import { failIfAnythingRuns } from "../test/support/left-running.ts";
import { insideTests } from "./effort.ts";
import { parts } from "./parts.ts";
import { Random } from "./random.ts";

/** Fixed, so that tests have the same result everywhere. `npm run torture` uses a random one. */
const seed = 1;

const maxMs = 600_000;

/** A file for each part, so that they run side by side. */
export function testPart(name: string): void {
  afterEach(failIfAnythingRuns);
  test(
    name,
    async () => {
      const report: string[] = [];
      try {
        await parts[name]!({ random: new Random(seed), effort: insideTests, report: (text) => report.push(text) });
      } finally {
        for (const line of report) console.log(`  ${name}: ${line}`);
        console.log(`  ${name}: to repeat it, npm run torture -- ${name} --seed ${seed}`);
      }
      expect(report).not.toBeEmpty();
    },
    maxMs,
  );
}
