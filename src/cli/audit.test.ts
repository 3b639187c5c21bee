import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unique } from "../../test/support/metering.ts";
import { commandsIn } from "../../test/support/pasted-commands.ts";
import { adminToken } from "../../test/support/server-settings.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { until } from "../../test/support/until.ts";
import { useCli } from "../../test/support/use-cli.ts";
import type { AuditEntry, AuditVerification } from "../client/index.ts";
import { linkHash } from "../lib/crypto/hash-chain.ts";
import { verifyExport } from "./audit-export/audit-export.ts";

const bench = useCli();
const root = join(import.meta.dir, "../..");

/** Exports the log as lines, once all entries are sealed. */
async function exported(): Promise<string[]> {
  const { cli, client } = bench;
  await until(async () => (await client.auditLog.verify()).unsealed === 0);
  const { stdout, status } = await cli.run("audit export");
  expect(status).toBe(0);
  return stdout.trimEnd().split("\n");
}

test("the log is listed, exported and verified; a changed export is reported as not intact", async () => {
  const { cli, client } = bench;
  for (const name of ["acme", "beta", "gamma"]) await client.consumers("main").create({ name }, { withApiKey: true });
  await client.consumers("main").update("acme", { description: "Acme" });
  const { data: listed } = await cli.json<{ data: AuditEntry[] }>("audit list --action consumer.*");
  expect(listed.map(({ action }) => action)).toEqual([
    "consumer.updated",
    ...Array.from({ length: 3 }, () => "consumer.created"),
  ]);
  const newest = await cli.run("audit list --limit 1");
  expect(newest.stdout).toMatch(/^Time +Action +Resource +Actor +Ip +Id\n.* consumer\.updated +acme/);
  expect(newest.stderr).toBe(`--before ${listed[0]!.id} shows older ones, if there are any.\n`);
  expect((await cli.run("audit list")).stderr).toBe("");
  for (const hourAgo of ["1h", "-1h"])
    expect(
      (await cli.json<{ data: AuditEntry[] }>(`audit list --action consumer.* --from ${hourAgo}`)).data,
    ).toHaveLength(4);
  expect((await cli.run("audit list --action no.such")).stderr).toContain("no such entries");

  await using folder = await disposable();
  const file = join(folder.path, "audit.jsonl");
  const lines = await exported();
  const verify = async (changed: string[], options = "") => {
    writeFileSync(file, `${changed.join("\n")}\n`);
    const { status, stdout } = await cli.run(`audit verify ${file} --json ${options}`.trimEnd());
    return { status, ...(JSON.parse(stdout) as AuditVerification) };
  };
  const whole = await verify(lines);
  expect(whole).toMatchObject({ status: 0, intact: true, entries: lines.length - 1, unsealed: 0 });
  const head = `${whole.head!.count}:${whole.head!.hash}`;
  expect(await verify(lines, `--head ${head}`)).toMatchObject({ status: 0 });

  const at = lines.findIndex((line) => line.includes('"name":"beta"'));
  const { number } = (JSON.parse(lines[at]!) as AuditEntry).seal!;
  const edited = lines.with(at, lines[at]!.replaceAll('"name":"beta"', '"name":"best"'));
  expect(await verify(edited)).toMatchObject({ status: 1, intact: false, firstBroken: { number } });
  expect(await verify(lines.toSpliced(at, 1))).toMatchObject({ status: 1, firstBroken: { number } });
  const idOf = (line: string) => (JSON.parse(line) as AuditEntry).id;
  const printed = async (changed: string[]) => {
    writeFileSync(file, changed.join("\n"));
    return (await cli.run(`audit verify ${file}`)).stdout;
  };
  expect(await printed(edited)).toBe(
    `Broken: entry ${number} (${idOf(lines[at]!)}) was changed after it was sealed.\n`,
  );
  expect(await printed(lines.toSpliced(at, 1))).toBe(
    `Broken: entry ${number} is missing, after ${idOf(lines[at + 1]!)}.\n`,
  );
  // The newest entry comes first, so these are the oldest ones.
  expect(await verify(lines.slice(0, -2))).toMatchObject({
    status: 1,
    firstBroken: { number: 1, detail: "is missing" },
  });
  // A signed head of another account, which states that the log was trimmed.
  const { head: own } = JSON.parse(lines[0]!) as { head: object };
  const foreign = JSON.stringify({ head: { ...own, account: "acct_other", trimmed: 4000 } });
  expect(await verify([...lines.slice(0, -2), foreign])).toMatchObject({
    status: 1,
    firstBroken: { number: whole.head!.count, detail: "has a head of another account" },
  });
  const cut = lines.toSpliced(1, 2);
  const last = whole.head!.count - 2;
  expect(await verify(cut)).toMatchObject({ status: 1, firstBroken: { number: last + 1, detail: "is missing" } });
  expect(await verify(cut.slice(1), `--head ${head}`)).toMatchObject({ status: 1, firstBroken: { number: last + 1 } });

  const keys = join(folder.path, "keys.json");
  writeFileSync(keys, await (await fetch(`${bench.server.url}/.well-known/tollgate-audit-key`)).text());
  expect(await verify(lines, `--key ${keys}`)).toMatchObject({ status: 0 });
  const forged = lines.with(0, lines[0]!.replace(/"signature":"..../, '"signature":"AAAA'));
  expect(await verify(forged, `--key ${keys}`)).toMatchObject({ status: 1, intact: false });
  const rejected = async (content: string, options = "") => {
    writeFileSync(file, content);
    const { status, stderr } = await cli.run(`audit verify ${file} ${options}`.trimEnd());
    expect(status).toBe(2);
    return stderr;
  };
  expect(await rejected("no log\n")).toContain("line 1 is not an entry");
  for (const value of ["{}", "5", "null", '{"count":0}'])
    expect(await rejected(`{"head":${value}}\n`)).toContain("line 1 is not an entry");
  for (const seal of ["5", "{}", '{"number":"1"}'])
    expect(await rejected(`${lines[0]}\n{"id":"audt_1","seal":${seal}}\n`)).toContain("line 2 is not an entry");
  for (const content of ["", "\n\n"]) expect(await rejected(content)).toContain("is empty");
  expect(await rejected(`${lines[1]}\n`, `--key ${keys}`)).toContain("has no signed head");
  for (const content of ["{}", '{"keys":[]}', '{"keys":[{"kid":"1"}]}', "no JSON"]) {
    writeFileSync(keys, content);
    expect(await rejected(lines.join("\n"), `--key ${keys}`)).toContain("contains no public keys");
  }
  expect((await cli.run(`audit verify ${folder.path}`)).stderr).toContain(`${folder.path} is a folder.`);
  expect((await cli.run(`audit verify ${file}.missing`)).stderr).toContain(`There is no file ${file}.missing.`);
});

test("a changed or removed entry is named when several entries were sealed together", async () => {
  const { client } = bench;
  let lines: string[] = [];
  let pack: AuditEntry[] = [];
  // The number of entries per commit depends on timing.
  await until(async () => {
    const names = Array.from({ length: 60 }, () => ({ name: unique("packed") }));
    await Promise.all(names.map((consumer) => client.consumers("main").create(consumer)));
    lines = await exported();
    const entries = lines.slice(1).map((line) => JSON.parse(line) as AuditEntry);
    const together = entries.filter(({ seal }) => seal!.last > seal!.first);
    pack = together.filter(({ seal }) => seal!.first === together.at(-1)!.seal!.first).toReversed();
    return pack.length > 2;
  });
  await using folder = await disposable();
  const file = join(folder.path, "audit.jsonl");
  const verified = async (changed: string[]) => {
    writeFileSync(file, changed.join("\n"));
    return verifyExport(file, {});
  };
  const at = (id: string) => lines.findIndex((line) => line.includes(`{"id":"${id}"`));
  const replaced = ({ id }: AuditEntry, change: (line: string) => string) => lines.with(at(id), change(lines[at(id)]!));
  expect(await verified(lines)).toMatchObject({ intact: true, entries: lines.length - 1 });
  const [first, second] = pack as [AuditEntry, AuditEntry];
  const { number } = second.seal!;
  expect(await verified(replaced(second, (line) => line.replaceAll("packed", "parked")))).toMatchObject({
    intact: false,
    firstBroken: { number, id: second.id, detail: "was changed after it was sealed" },
  });
  const removed = async ({ id }: AuditEntry) => (await verified(lines.toSpliced(at(id), 1))).firstBroken;
  expect(await removed(second)).toEqual({ number, id: second.id, detail: "is missing" });
  const lastOfPack = pack.at(-1)!;
  expect(await removed(lastOfPack)).toMatchObject({ number: lastOfPack.seal!.number, id: lastOfPack.id });
  // The first entry carries the pack.
  const before = lines.slice(1).find((line) => JSON.parse(line).seal.number === number - 2)!;
  const previousId = (JSON.parse(before) as AuditEntry).id;
  expect(await removed(first)).toEqual({ number: number - 1, previousId, detail: "is missing" });
  expect(await verified(replaced(second, () => lines[at(first.id)]!))).toMatchObject({ intact: false });
  // Without the head and the last entry, and with the others changed to hide the removal.
  const { last, previousHash } = first.seal!;
  const shortened = pack.slice(0, -1).map(({ id }) => lines[at(id)]!.replace(`"last":${last}`, `"last":${last - 1}`));
  expect(await verified(shortened)).toMatchObject({ intact: false, firstBroken: { number: number - 1 } });
  // A forged chain whose pack is invalid.
  const noPack = Buffer.from("(no pack");
  const hash = linkHash(previousHash, number - 1, noPack);
  const forged = pack.map((entry, index) => {
    const seal = { ...entry.seal!, hash, ...(index === 0 ? { pack: noPack.toString("base64") } : {}) };
    return JSON.stringify({ ...entry, seal });
  });
  expect(await verified(forged)).toMatchObject({ intact: false, firstBroken: { number: number - 1 } });
  const rest = `or one of the ${pack.length - 1} after it was changed after it was sealed`;
  for (const change of [
    (line: string) => line.replace(/,"pack":"[^"]*"/, ""),
    (line: string) => line.replace('"pack":"', '"pack":"KLUv'),
  ])
    expect((await verified(replaced(first, change))).firstBroken).toEqual({
      number: number - 1,
      id: first.id,
      detail: rest,
    });
});

test("the commands of docs/audit-log.md work as pasted", async () => {
  await exported();
  await using folder = await disposable();
  const text = readFileSync(join(root, "docs/audit-log.md"), "utf8");
  const blocks = commandsIn(text);
  expect(blocks.length).toBe(3);
  const script = blocks.join("\n").replaceAll("http://127.0.0.1:8787", bench.server.url);
  const tollgate = `tollgate() { "${process.execPath}" "${join(root, "src/main.ts")}" "$@"; }`;
  const run = Bun.spawn(["bash", "-e", "-c", `${tollgate}\n${script.replace("create acme", "create pasted")}`], {
    cwd: folder.path,
    env: { ...process.env, TOLLGATE_URL: bench.server.url, TOLLGATE_TOKEN: adminToken, HOME: folder.path },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, status] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
  expect({ status, errors: status === 0 ? "" : errors }).toEqual({ status: 0, errors: "" });
  expect(output.match(/Intact: \d+ entries/g)).toHaveLength(3);
});

async function disposable() {
  const folder = await temporaryFolder("audit");
  return { path: folder.path, [Symbol.asyncDispose]: () => folder.remove() };
}
