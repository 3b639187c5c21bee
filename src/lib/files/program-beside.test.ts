import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { missingPrograms, programNames } from "./program-beside.ts";

test("every file that is missing beside the compiled program is listed", async () => {
  const folder = await temporaryFolder("programs");
  expect(missingPrograms(join(folder.path, "none"))).toEqual(programNames);
  await Bun.write(join(folder.path, "esbuild"), "");
  await Bun.write(join(folder.path, "typescript/tsc"), "");
  expect(missingPrograms(folder.path)).toEqual(["workerd", "authoring.ts"]);
  await folder.remove();
});

test("from source, no file is required beside the program", () => {
  expect(missingPrograms()).toEqual([]);
});
