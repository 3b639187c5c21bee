import { test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expectTour } from "../../test/support/cli-tour.ts";

/** In the order of the blocks. */
const expected = [
  /Role +admin/,
  /Name +acme[\s\S]*Valid +yes[\s\S]*seats=12/,
  /Key +tg_[\s\S]*acme +csmr_[\s\S]*name must be 1 to 128[\s\S]*exit code 1\n[\s\S]*did you mean "consumers"\?[\s\S]*exit code 2/,
  /Id +mtr_[\s\S]*price_gold[\s\S]*Customer key +acme/,
  /Hello, acme\n$/,
  /1 counted[\s\S]*Allowed: the amounts were consumed[\s\S]*Not allowed[\s\S]*exit code 1[\s\S]*requests +10 +10 +0[\s\S]*Counters and events agree/,
  /\+ shop\/openapi\.json[\s\S]*✓ Start[\s\S]*Live after[\s\S]*\{"greeting":"Hello, world!","from":"acme"\}/,
  /(?=[\s\S]*acme greets world)[\s\S]*200 GET \/hello\/world[\s\S]*\n1 +yes[\s\S]*Backed up/,
  /Deleted the deployment[\s\S]*Deleted the consumer acme[\s\S]*Deleted the metering bucket[\s\S]*Removed profile default/,
];

test("the tour with the command line works as pasted, and prints the documented output", async () => {
  const tour = readFileSync(join(import.meta.dir, "../../docs/tour.md"), "utf8")
    .split("## From the command line\n")[1]!
    .split("\n## ")[0]!;
  await expectTour(tour, expected);
});

test.each<[string, RegExp[]]>([
  ["yearly-plans", [/1 counted[\s\S]*requests +0 +100000 +100000[\s\S]*acme +invoice +draft +300\.00 [^\n]*\n$/]],
  [
    "going-live",
    [
      /Payment +state=pending/,
      /TEST-W-000001 [^\n]* open [\s\S]*TEST-W-000002 [^\n]* open [\s\S]*Status +unpaid/,
      /\+ meteringBuckets main\n\+ plans main gold\n[\s\S]*Applied 2 steps\.\n$/,
    ],
  ],
])("the commands of %s work as pasted", async (guide, expected) => {
  await expectTour(readFileSync(join(import.meta.dir, `../../docs/${guide}.md`), "utf8"), expected);
});
