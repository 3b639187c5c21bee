import { test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expectTour } from "../../test/support/cli-tour.ts";

/** In the order of the blocks. */
const expected = [
  /# yaml-language-server: \$schema=http:\/\/127\.0\.0\.1:\d+\/schemas\/configuration\.json\nversion: 1\nkeyBuckets:\n {2}main:\n {4}keyPrefix: acme\n/,
  /~ keyBuckets main[\s\S]*\+ plans shop gold[\s\S]*exit code 1\n[\s\S]*Applied 8 steps\.\nThe portal of main: http:\S+\nNothing to change\.\n$/,
  /- plans shop free\n~ plans shop gold\n {4}meters\.requests\.max: 100000 → 50000\nApplied 2 steps\.\n$/,
  /~ keyBuckets main\n {4}description: "Keys of the public API" → "Keys of production"[\s\S]*max: 50000 → 200000[\s\S]*exit code 1\n$/,
  /Applied 2 steps\.\n$/,
];

test("the commands of docs/configuration-as-code.md work as pasted", async () => {
  await expectTour(readFileSync(join(import.meta.dir, "../../docs/configuration-as-code.md"), "utf8"), expected);
});
