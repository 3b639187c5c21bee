import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { tablesFile, tableTypes } from "../../../scripts/generate-tables.ts";

test("the types of the tables are those of the migrations", () => {
  const isCurrent = readFileSync(tablesFile, "utf8") === tableTypes();
  expect(isCurrent, "tables.gen.ts is not current: run `npm run generate`").toBe(true);
});
