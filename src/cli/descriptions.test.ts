import { expect, test } from "bun:test";
import { currentDocument } from "../../scripts/generate-cli-reference.ts";
import { optionName } from "./arguments/command.ts";
import { parseCommandLine, requestsHelp } from "./arguments/parse.ts";
import { helpFor } from "./help.ts";
import { allCommands } from "./tree.ts";

const commands = await allCommands();

test("every required command exists", () => {
  const names = new Set(commands.map(({ name }) => name.split(" ")[0]!));
  expect([...names].sort()).toEqual(
    (
      "accounts analytics apply audit authorizations backup billing buckets clients completion consumers credits customers demo deploy deployments dev diff domains dump events " +
      "explain exports grants " +
      "health help import init invoices issuers jobs keys login logout managers members metering migrate models pack plans portal promote requests reseal restore search " +
      "serve sessions status subscriptions tokens traffic usage variables verifications version webhooks whoami"
    ).split(" "),
  );
});

test("the help names every command and group once", async () => {
  const help = await helpFor([], { style: (_style, text) => text, width: 80 });
  const named = [...help.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name]) => name!);
  expect(named.sort()).toEqual([...new Set(commands.map(({ name }) => name.split(" ")[0]!))].sort());
});

test.each(commands)("$name has examples that parse", ({ name, command }) => {
  expect(Object.keys(command.examples)).not.toEqual([]);
  for (const example of Object.keys(command.examples)) {
    // In a pipeline, only the part that is this command.
    const [, words] = new RegExp(`tollgate ${name}((?: [^|&>;)]*)?)`).exec(example) ?? [];
    expect(words, `${example} shows ${name}`).toBeDefined();
    parseCommandLine(command, shellWords(words!));
  }
});

test.each(commands)("the help of $name names all its arguments and options", async ({ name, command }) => {
  const width = 80;
  const help = await helpFor(name.split(" "), { style: (_style, text) => text, width });
  expect(help).toStartWith(`${command.summary}\n`);
  for (const option of Object.keys(command.options)) expect(help).toContain(`--${optionName(option)}`);
  for (const argument of Object.keys(command.arguments)) expect(help).toContain(optionName(argument));
  for (const example of Object.keys(command.examples)) expect(help).toContain(example);
  // Examples are not wrapped, so that they can be copied.
  const wide = help
    .split("\n")
    .filter((line) => line.length > width && !/^(Usage:| {2}(\w+=\S+ )*(\S+ .*)?tollgate )/.test(line));
  expect(wide).toEqual([]);
});

test("--help works anywhere but after --", () => {
  expect(requestsHelp(["acme", "--help"])).toBe(true);
  expect(requestsHelp(["-h"])).toBe(true);
  expect(requestsHelp(["--", "--help"])).toBe(false);
});

test("docs/cli.md is current", async () => {
  const { written, wanted } = await currentDocument();
  expect(written, "run `npm run generate`").toBe(wanted);
});

/** A minimal shell for the examples: it handles quotes and leaves variables as they are. */
function shellWords(text: string): string[] {
  return [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? double ?? bare!);
}
