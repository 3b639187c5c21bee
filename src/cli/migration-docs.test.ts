import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installProgram } from "../../test/support/cli.ts";
import { commandsIn, runPasted } from "../../test/support/pasted-commands.ts";
import { useCli } from "../../test/support/use-cli.ts";

const bench = useCli();

const exported = `_format_version: "3.0"
consumers:
- username: acme
  keyauth_credentials:
  - key: A9dyKp2sXr71LqWm0ZtB
`;

test("the commands of docs/migration.md work as pasted", async () => {
  const { cli, client } = bench;
  await writeFile(join(cli.folder, "kong.yaml"), exported);
  const bin = await installProgram(cli.folder);
  const commands = commandsIn(readFileSync(join(import.meta.dir, "../../docs/migration.md"), "utf8"));
  const shown = await runPasted(commands, {
    cwd: cli.folder,
    env: { ...cli.environment, PATH: `${bin}:${process.env.PATH}` },
    before: "exec 2>&1",
  });
  expect(shown).toHaveLength(1);
  expect(shown[0]).toMatch(
    /1 consumers to create, 0 existing\.\n1 keys: [\s\S]*dry run\.\n[\s\S]*Keys: 1 created, 0 existing\./,
  );
  const verified = await client.verifyKey("production", "A9dyKp2sXr71LqWm0ZtB");
  expect(verified).toMatchObject({ valid: true, consumer: { name: "acme" } });
});
