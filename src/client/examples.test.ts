import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sqlite } from "../../test/support/engines.ts";
import { openApi } from "../../test/support/project.ts";
import { useServer } from "../../test/support/server.ts";
import { adminToken } from "../../test/support/server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";

const projectFolder = join(import.meta.dir, "../..");

interface Example {
  /** The file and its first line. */
  place: string;
  code: string;
}

const read = (path: string) => readFileSync(join(projectFolder, path), "utf8");

function examplesIn(path: string): Example[] {
  const text = read(path);
  return [...text.matchAll(/^( *\* |)```ts\n([\s\S]*?)^\1```/gm)].map((match) => ({
    place: `${path}:${text.slice(0, match.index).split("\n").length}`,
    code: match[1] === "" ? match[2]! : match[2]!.replaceAll(/^ *\* ?/gm, ""),
  }));
}

const sources = readdirSync(import.meta.dir, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.ts$/.test(name) && !/\.test\.ts$|schema\.gen\.ts$/.test(name))
  .map((name) => `src/client/${name}`);

/** Declarations for the examples of doc comments; examples with imports are complete programs. */
const given = `
import { BuildError, etagOf, explainRequest, type Tollgate, TollgateError, UsageReporter } from "tollgate/client";
declare const client: Tollgate;
declare const bucketId: string, planId: string, subscriptionId: string, keyId: string, managerId: string;
declare const domainId: string, tokenId: string, trustedIssuerId: string;
declare const inviteId: string, statusId: string, viewId: string, invoiceId: string, grantId: string, simulationId: string;
declare const packId: string, purchaseId: string;
`;

/** The code blocks of a document together are one program. */
const programOf = (document: string) =>
  examplesIn(document)
    .map(({ code }) => code)
    .join("\n");

// The server's responses do not depend on the engine.
const server = useServer(sqlite);
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("examples");
  await symlink(join(projectFolder, "node_modules"), join(folder.path, "node_modules"));
  await mkdir(join(folder.path, "my-gateway"));
  const route = { "x-tollgate": { upstream: "http://127.0.0.1:9" } };
  await writeFile(join(folder.path, "my-gateway/openapi.json"), JSON.stringify(openApi({ "/orders": route })));
  const source = (path: string) => [join(projectFolder, "src/client", path)];
  const paths = {
    "tollgate/client": source("index.ts"),
    "@tollgate/client/verify": source("verify.ts"),
    "@tollgate/client/*": source("middleware/*.ts"),
  };
  const options = { noUnusedLocals: false, paths };
  const configuration = { extends: join(projectFolder, "tsconfig.json"), compilerOptions: options, include: ["."] };
  await writeFile(join(folder.path, "tsconfig.json"), JSON.stringify(configuration));
});
afterAll(() => folder.remove());

/** Files whose classes form the public interface of the client. */
const resources = sources.filter((path) => read(path).includes("@example"));

test("every method has an example", () => {
  const classes = resources.filter((path) => /^export (abstract )?class /m.test(read(path)));
  const methods = classes.flatMap((path) =>
    [...read(path).matchAll(/^(.*)\n {2}(?:async )?(?!constructor|if\b)([a-z]\w*)\(/gm)].map(([, before, name]) => ({
      name: `${path} ${name}`,
      isDocumented: before === "   */",
    })),
  );
  expect(methods.length).toBeGreaterThan(60);
  expect(methods.filter(({ isDocumented }) => !isDocumented)).toEqual([]);
});

test("the document names every part of the client", () => {
  const document = read("docs/client.md");
  const parts = ["src/client/tollgate.ts", "src/client/resources/account-resources.gen.ts"].flatMap((path) => [
    ...read(path).matchAll(/^ {2}(?:readonly |async )?(?!constructor|if\b)([a-z]\w*)[(:]/gm),
  ]);
  expect(parts.length).toBeGreaterThan(25);
  expect(parts.map(([, name]) => name!).filter((name) => !document.includes(`\`${name}`))).toEqual([]);
});

test("each compiles", async () => {
  const examples = sources.flatMap(examplesIn);
  expect(examples.length).toBeGreaterThan(60);
  for (const [index, { place, code }] of examples.entries()) {
    const program = /^import /m.test(code) ? code : `${given}{\n${code}}\n`;
    await writeFile(join(folder.path, `example-${index}.ts`), `// ${place}\n${program}`);
  }
  await writeFile(join(folder.path, "document.ts"), programOf("docs/client.md"));
  const tsc = Bun.spawn([join(projectFolder, "node_modules/.bin/tsc"), "-p", folder.path], { stdout: "pipe" });
  expect(await tsc.stdout.text()).toBe("");
  expect(await tsc.exited).toBe(0);
});

test("those of the document work, one after the other", async () => {
  const program = programOf("docs/client.md").replaceAll("http://127.0.0.1:8787", server.url);
  expect(program).toContain(server.url);
  const path = join(folder.path, "program.ts");
  await writeFile(path, program);
  const run = Bun.spawn([process.execPath, path], {
    cwd: folder.path,
    env: { ...process.env, TOLLGATE_TOKEN: adminToken },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors, status] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
  expect({ status, errors }).toEqual({ status: 0, errors: "" });
  expect(output).toContain("acme");
});
