import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { version } from "../../package.json" with { type: "json" };
import { installProgram } from "../../test/support/cli.ts";
import { expectTour } from "../../test/support/cli-tour.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";

const document = readFileSync(join(import.meta.dir, "../../docs/ci.md"), "utf8");

test("the commands of docs/ci.md work as pasted", async () => {
  await expectTour(document, [
    /Subject +repo:acme\/shop:pull_request[\s\S]*BranchClaim|Branch claim[\s\S]*refs\/heads\/main[\s\S]*PRODUCTION/i,
  ]);
});

test("the workflow of docs/ci.md gives the action inputs that it has", () => {
  const action = parse(readFileSync(join(import.meta.dir, "../../deploy/ci/github/action.yml"), "utf8"));
  const [workflow, gitlab] = [...document.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => parse(text!));
  const step = workflow.jobs.deploy.steps[1];
  for (const name of Object.keys(step.with)) expect(Object.keys(action.inputs)).toContain(name);
  const required = Object.entries<{ required?: boolean }>(action.inputs).filter(([, input]) => input.required);
  for (const [name] of required) expect(Object.keys(step.with)).toContain(name);
  expect(workflow.permissions["id-token"]).toBe("write");
  expect(gitlab.deploy.id_tokens.TOLLGATE_ID_TOKEN.aud).toContain("/v1/accounts/default");
});

test("the GitLab job of docs/ci.md installs the program from an archive, and only with its checksum", async () => {
  const [, { deploy }] = [...document.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => parse(text!));
  // The image has what this machine has already.
  const [packages, ...commands] = deploy.before_script;
  expect(packages).toStartWith("apt-get ");
  const folder = await temporaryFolder("gitlab");
  const bin = await installProgram(folder.path);
  const archive = join(folder.path, "release.tar.gz");
  await Bun.$`tar -czf ${archive} -C ${bin} tollgate`.quiet();
  const sha256 = new Bun.CryptoHasher("sha256").update(await Bun.file(archive).bytes()).digest("hex");
  const job = (TOLLGATE_SHA256: string) => {
    const env = { PATH: process.env.PATH, HOME: folder.path, CI_PROJECT_DIR: folder.path };
    const variables = { ...deploy.variables, TOLLGATE_ARCHIVE: `file://${archive}`, TOLLGATE_SHA256 };
    const script = [...commands, "tollgate version"].join("\n");
    return Bun.spawnSync(["bash", "-e", "-c", script], { cwd: folder.path, env: { ...env, ...variables } });
  };
  expect(job("0".repeat(64)).exitCode).toBe(1);
  expect(existsSync(join(folder.path, ".tollgate"))).toBe(false);
  expect(job(sha256).stdout.toString()).toEndWith(`${version}\n`);
  await folder.remove();
});
