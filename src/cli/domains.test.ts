import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { archiveOf } from "../../test/support/archives.ts";
import { useDns } from "../../test/support/domains.ts";
import { sqlite } from "../../test/support/engines.ts";
import { FakeClock } from "../../test/support/fake-clock.ts";
import { openApi } from "../../test/support/project.ts";
import { until } from "../../test/support/until.ts";
import { useCli } from "../../test/support/use-cli.ts";
import type { Domain } from "../client/index.ts";

const { dns, environment } = useDns();
const clock = new FakeClock();
const bench = useCli(environment, sqlite, clock);

let name: string;
beforeAll(async () => {
  const files = {
    "openapi.json": JSON.stringify(openApi({ "/a": { "x-tollgate": { upstream: "http://127.0.0.1:9" } } })),
  };
  name = (await bench.client.deploy(new Blob([await archiveOf(files)]), { project: "shop", branch: "main" })).name;
});

/** Sets the records after the server has found none, and when it may look again. Returns the id of the domain. */
async function setRecords(host: string): Promise<string> {
  const claimed = await until(
    async () => (await bench.client.domains.list().all()).find((domain) => domain.host === host && domain.checkedOn),
    { what: "the first check" },
  );
  for (const { type, name, value } of claimed.dns) dns.add(type, name, value);
  clock.advance(5_001);
  return claimed.id;
}

test("a domain is claimed, served and deleted", async () => {
  const { cli, client } = bench;
  const added = await cli.run(`domains add api.shop.example --deployment ${name}`);
  expect(added.status).toBe(0);
  const [domain] = await client.domains.list().all();
  const [txt, cname] = domain!.dns;
  expect(added.stdout).toContain("TXT record: not found yet");
  for (const text of [txt!.name, txt!.value, cname!.name, cname!.value]) expect(added.stdout).toContain(text);
  expect(added.stderr).toContain("tollgate domains check api.shop.example --wait");

  await setRecords("api.shop.example");
  const checked = await cli.run("domains check API.shop.example --wait");
  expect(checked).toMatchObject({ status: 0 });
  expect(checked.stdout).toMatch(/Status +active[\s\S]*TXT record: found[\s\S]*CNAME record: found/);
  expect((await cli.run("domains list")).stdout).toMatch(/api\.shop\.example +active/);
  expect((await cli.run(`domains show ${domain!.id}`)).stdout).toContain("none yet");
  expect(await cli.json<Domain>("domains show api.shop.example")).toMatchObject({
    status: "active",
    certificate: null,
  });
  expect((await cli.run("domains remove api.shop.example --yes")).stderr).toContain("Deleted the domain");
  expect((await cli.run("domains list")).stderr).toContain("There are no domains.");
});

test("apply --wait waits for the domains of its file, also if nothing is left to apply", async () => {
  const { cli, client } = bench;
  const file = `{version: 1, domains: {wait.shop.example: {deploymentName: ${name}}}}`;
  await writeFile(join(cli.folder, "wait.yaml"), file);
  const applied = cli.run("apply --file wait.yaml --yes --wait");
  await client.domains.check(await setRecords("wait.shop.example"));
  const first = await applied;
  expect(first).toMatchObject({ status: 0 });
  expect(first.stderr).toContain("Applied 1 step.");
  expect(first.stderr).toContain("wait.shop.example: active");
  expect((await client.domains.list().all()).find(({ host }) => host === "wait.shop.example")?.status).toBe("active");
  const second = await cli.run("apply --file wait.yaml --yes --wait");
  expect(second).toEqual({ status: 0, stdout: "Nothing to change.\n", stderr: "wait.shop.example: active\n" });
  await cli.run("domains remove wait.shop.example --yes");
});

test("a domain has mounts, and one deployment again", async () => {
  const { cli } = bench;
  const added = await cli.run(`domains add mounts.shop.example --mount /=${name} --mount /b=c=${name},strip`);
  expect(added.stdout).toMatch(new RegExp(`Mounts\\n  / +${name}\\n  /b=c +${name}, without the path\\n`));
  expect((await cli.json<Domain>(`domains update mounts.shop.example --mount /a=${name}`)).mounts).toEqual([
    { path: "/a", deploymentName: name },
  ]);
  const { mounts, deploymentName } = await cli.json<Domain>(`domains update mounts.shop.example --deployment ${name}`);
  expect({ mounts, deploymentName }).toEqual({ mounts: undefined, deploymentName: name });
  await cli.run("domains remove mounts.shop.example --yes");
});

test("a host is found by its Unicode form", async () => {
  const { cli } = bench;
  const { id, host } = await cli.json<Domain>(`domains add Bücher.example. --deployment ${name}`);
  expect(host).toBe("xn--bcher-kva.example");
  for (const written of ["Bücher.example.", "bücher.example", "xn--bcher-kva.example"])
    expect(await cli.json<Domain>(`domains show ${written}`)).toMatchObject({ id });
  expect(await cli.run("domains remove bücher.example --yes")).toMatchObject({ status: 0 });
});

test("errors explain what to do", async () => {
  const { cli } = bench;
  const missing = await cli.run("domains show api.nowhere.example");
  expect(missing.status).not.toBe(0);
  expect(missing.stderr).toContain("There is no domain api.nowhere.example.");
  expect((await cli.run(`domains add localhost --deployment ${name}`)).stderr).toContain("full domain name");
  expect((await cli.run("domains add api.shop.example --deployment nothing")).stderr).toContain(
    "must be the name of a deployment",
  );
  expect((await cli.run("domains add api.shop.example")).stderr).toContain("give --deployment or --mount");
  for (const mount of ["/a", "=x", "/a=", "/a=x,trim"])
    expect((await cli.run(`domains add api.shop.example --mount ${mount}`)).stderr).toContain("must be PATH=NAME");
  expect((await cli.run(`domains add api.shop.example --mount /a=x --deployment ${name}`)).stderr).toContain(
    `use --mount /=${name}`,
  );
  expect((await cli.run(`domains add api.shop.example --mount /a/=${name}`)).stderr).toContain("no trailing slash");
});

describe("docs/domains.md", () => {
  test("its commands work as pasted", async () => {
    const { cli, client } = bench;
    const text = readFileSync(join(import.meta.dir, "../../docs/domains.md"), "utf8");
    const commands = [...text.matchAll(/^tollgate (.*)$/gm)].map(([, words]) => words!);
    expect(commands.length).toBe(6);
    const checking = setRecords("api.acme.example").then((id) => client.domains.check(id));
    for (const command of commands)
      expect(await cli.run(command.replace(/\b[a-z]+-main-[0-9a-f]{7}\b/g, name))).toMatchObject({ status: 0 });
    await checking;
  });
});
