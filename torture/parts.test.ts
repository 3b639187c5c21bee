import { expect, test } from "bun:test";
import { parts } from "./parts.ts";

test.each(Object.keys(parts))("%s runs within the tests", async (name) => {
  expect(await Bun.file(`${import.meta.dir}/${name}/${name}.test.ts`).text()).toContain(`testPart("${name}")`);
});
