import { test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expectTour } from "../../test/support/cli-tour.ts";

/** In the order of the document's blocks. */
const expected = [
  /Name +acme/,
  /✓ Start/,
  /^/,
  /429: consumer acme has used 2 of 2 requests of plan Gold in this period; it resets on \d+ \w+ \d{4} at [\d:]+ UTC\.\n {2}GET \/hello to shop-main-\w+, version 1, [\s\S]*x-request-id order-3\n {2}keys \(api-key\): passed, [\d.]+ ms\n {2}plan \(quota\): rejected[\s\S]*401: the request had no API key; send it in the header authorization\./,
  /401 GET \/hello [\d.]+ ms shop-main-\w+ req_\w{24} the request had no API key[\s\S]*429 GET \/hello [\d.]+ ms acme shop-main-\w+ req_[\s\S]*"status": 200\n"status": 200/,
];

test("the commands of docs/requests.md work as pasted, and show what they promise", async () => {
  await expectTour(readFileSync(join(import.meta.dir, "../../docs/requests.md"), "utf8"), expected);
}, 120_000);
