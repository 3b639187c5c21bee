import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";

const folder = join(import.meta.dir, "../../src/web/console");

test("every dialog with an action shows it as a request and as a command", async () => {
  const without: string[] = [];
  let dialogs = 0;
  for await (const path of new Glob("**/*.tsx").scan(folder)) {
    const text = await Bun.file(join(folder, path)).text();
    for (const opening of text.matchAll(/<(Confirm|Dialog)\b[\s\S]*?\n\s*>\n/g)) {
      const [tag, name] = opening;
      if (name === "Dialog" && !tag.includes("onSubmit=")) continue;
      dialogs += 1;
      if (!tag.includes("footStart=")) without.push(path);
    }
  }
  expect(without).toEqual([]);
  expect(dialogs).toBeGreaterThan(30);
});
