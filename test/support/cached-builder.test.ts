import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { builderWithCache } from "./cached-builder.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

/** Records each run, fails for the input `broken`, and reports its option and input. */
const builder = `
  input=$(cat)
  echo "$input" >> "$(dirname "$0")/runs"
  if [ "$input" = broken ]; then echo "no report"; exit 3; fi
  echo "report of $1 $input"
`;

let folder: TemporaryFolder;
const pathOf = (name: string) => join(folder.path, name);

beforeAll(async () => {
  folder = await temporaryFolder("cached-builder");
  await mkdir(pathOf("builds"));
  await writeFile(pathOf("builder.sh"), builder);
});
afterAll(() => folder.remove());

async function build(input: string, egress = "--egress=any") {
  const command = builderWithCache(pathOf("builds"), "/bin/sh", pathOf("builder.sh"));
  const child = Bun.spawn([...command, egress], { stdin: new Blob([input]), stdout: "pipe", env: {} });
  return { output: await child.stdout.text(), status: await child.exited };
}

const runs = async () => (await Bun.file(pathOf("runs")).text()).trimEnd().split("\n");

test("builds the same input once, and another input or option again", async () => {
  const first = await build("one");
  expect(first).toEqual({ output: "report of --egress=any one\n", status: 0 });
  expect(await build("one")).toEqual(first);
  expect(await runs()).toEqual(["one"]);
  expect(await build("two")).toEqual({ output: "report of --egress=any two\n", status: 0 });
  expect(await build("one", "--egress=public")).toEqual({ output: "report of --egress=public one\n", status: 0 });
  expect(await runs()).toEqual(["one", "two", "one"]);
});

test("a builder that fails is run again, and its status is returned", async () => {
  const before = (await runs()).length;
  expect((await build("broken")).status).toBe(3);
  expect((await build("broken")).status).toBe(3);
  expect(await runs()).toHaveLength(before + 2);
});

test("builds of the same input at the same time get the same report", async () => {
  const built = await Promise.all(Array.from({ length: 4 }, () => build("many")));
  expect(new Set(built.map(({ output }) => output))).toEqual(new Set(["report of --egress=any many\n"]));
  expect((await readdir(pathOf("builds"))).filter((name) => /^[0-9a-f]{64}$/.test(name))).toHaveLength(4);
});
