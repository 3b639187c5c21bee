/**
 * `npm test`: types, style and all tests. Arguments go to `bun test`: `npm test -- consumers` runs these tests alone, without types and
 * style. `npm test -- --changed` runs the tests that uncommitted changes affect, `--changed=main` those that all changes since `main` do.
 */
import { mkdir } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { frameworksFolder } from "../test/support/frameworks.ts";
import { memoryFolder } from "../test/support/memory-folder.ts";
import { removeOnExit } from "../test/support/on-exit.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { buildLinkedProgram } from "./build-program.ts";
import { bundleProgramIfOutdated } from "./bundle-program.ts";
import { changedFiles, testsAffectedBy } from "./changed-tests.ts";
import { installNpmFolder } from "./npm-folder.ts";
import { ensurePrograms } from "./programs.ts";
import { selectedTests, withImports } from "./selected-tests.ts";
import { measureSlowdown } from "./slowdown.ts";
import { failedFiles, failures, type Tally, tally } from "./summary.ts";

const projectFolder = join(import.meta.dir, "..");
const installed = (name: string) => join(projectFolder, "node_modules/.bin", name);

/** The number of files that run in parallel: tests often wait for intervals, other processes and the disk. */
const processes = Math.min(availableParallelism() * 2, 6);

/** Long, because a busy machine is no failure: tests wait for responses, not for time to pass. */
const timeoutMilliseconds = 120_000;

/** The flags of every run, with timeouts for a machine that is this much slower than a quiet one. */
const commonFlags = () => [
  `--timeout=${Math.round(timeoutMilliseconds * Number(process.env.TOLLGATE_TEST_SLOWDOWN ?? 1))}`,
  "--no-orphans",
];

const flags = () => [
  ...commonFlags(),
  `--parallel=${processes}`,
  "--no-isolate",
  // Starts the slowest files first, so that none of them runs alone at the end.
  "--timings=test/timings.json",
];

const maxRepeatedFiles = 5;

/**
 * The arguments of `bun test`. `--changed` is our own option: Bun's follows every import, and by the server all tests
 * import everything.
 */
async function testArguments(): Promise<string[]> {
  const given = process.argv.slice(2);
  const changed = given.find((word) => /^--changed(=|$)/.test(word));
  if (changed === undefined) return given;
  const files = await changedFiles(projectFolder, changed.split("=")[1]);
  const affected = await testsAffectedBy(projectFolder, files);
  console.log(`${files.length} changed files affect ${affected.length} test files.`);
  return [...given.filter((word) => word !== changed), ...affected.map((path) => `./${path}`)];
}

/** Builds the program that tests spawn, and makes room for the builds that they share. Returns the folder. */
async function prepareRunFolder(): Promise<string> {
  const { path } = await temporaryFolder("run", memoryFolder());
  removeOnExit(path);
  // Tests of the package and of `npm start` run at the same time: they find `dist/program` up to date.
  await Promise.all([buildLinkedProgram(path), bundleProgramIfOutdated(), mkdir(join(path, "builds"))]);
  return path;
}

async function scaleTimeouts(): Promise<void> {
  const slowdown = await measureSlowdown();
  if (slowdown > 1) console.log(`Other processes use the cores: timeouts are ${slowdown} times as long.`);
  process.env.TOLLGATE_TEST_SLOWDOWN = String(slowdown);
}

/** Installs and starts what the selected tests need: one PostgreSQL for all processes of the run. */
async function prerequisites(): Promise<Tally> {
  try {
    const files = await withImports(projectFolder, selectedTests(projectFolder, parameters));
    const needs = (name: string) => files.has(`test/support/${name}.ts`);
    // First, because what follows uses the cores.
    if (needs("slowdown")) await scaleTimeouts();
    // Some of these wait for the network, others use the cores.
    const [runFolder, databaseUrl] = await Promise.all([
      needs("run-folder") ? prepareRunFolder() : undefined,
      needs("engines") ? process.env.TOLLGATE_TEST_DATABASE_URL || startPostgres() : undefined,
      ensurePrograms(files),
      needs("frameworks") ? installNpmFolder(frameworksFolder) : undefined,
    ]);
    if (runFolder !== undefined) process.env.TOLLGATE_TEST_RUN = runFolder;
    if (databaseUrl !== undefined) process.env.TOLLGATE_TEST_DATABASE_URL = databaseUrl;
    return { passed: 0, failed: 0 };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1 };
  }
}

/** The findings are printed after the tests, where they are not lost between them. */
interface Checked extends Tally {
  findings?: string;
}

async function check(...command: string[]): Promise<Checked> {
  const child = Bun.spawn(command, { cwd: projectFolder, stdio: ["ignore", "pipe", "pipe"] });
  const texts = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) === 0) return { passed: 1, failed: 0 };
  return { passed: 0, failed: 1, findings: texts.join("") };
}

/**
 * Types and style, beside the tests, which do not use all of the cores. Not if tests are named: who repeats one test
 * waits for nothing else.
 */
async function checkSources(): Promise<Checked[]> {
  if (process.argv.slice(2).some((word) => !word.startsWith("-"))) return [];
  const checks = await Promise.all([
    check(installed("tsc"), "--noEmit"),
    check(installed("tsc"), "-p", "src/web"),
    check(installed("biome"), "check", "--error-on-warnings", "."),
  ]);
  return checks;
}

async function tests(): Promise<Tally> {
  const { exitCode, output } = await run([process.execPath, "test", ...flags(), ...parameters]);
  const result = tally(output, exitCode);
  const failed = failures(output);
  for (const failure of failed) console.error(`\n${failure}`);
  if (/^ *\d+ (skip|todo)$/m.test(output)) console.error("Skipped tests count as failed: fix or remove them.");
  // In a run of selected tests a failure is what the developer is looking for.
  const mayRepeat = parameters.length === 0 && failed.length > 0 && failed.length === result.failed;
  return mayRepeat && (await passWhenRepeated(failedFiles(output)))
    ? { passed: result.passed + result.failed, failed: 0 }
    : result;
}

/**
 * Runs the files of failed tests once more, one after the other, and names them: a test that passes then is unsteady,
 * not broken. More than a few such files are a failure of the change. docs/decisions/testing.md has the reasons.
 */
async function passWhenRepeated(files: string[]): Promise<boolean> {
  if (files.length > maxRepeatedFiles) return false;
  console.error(`\nRunning again, without other tests beside them: ${files.join(" ")}`);
  const { exitCode, output } = await run([
    process.execPath,
    "test",
    ...commonFlags(),
    ...files.map((file) => `./${file}`),
  ]);
  if (tally(output, exitCode).failed > 0) return false;
  console.error(`\nUnsteady, please fix: these files failed beside other tests and passed alone.\n${files.join("\n")}`);
  return true;
}

/** Streams the output of the command, and returns its stderr, where `bun test` reports. */
async function run(command: string[]): Promise<{ exitCode: number; output: string }> {
  const child = Bun.spawn(command, {
    cwd: projectFolder,
    env: {
      ...process.env,
      // With CI set, bun rejects `test.only`, which would hide the other tests, and missing snapshots.
      CI: "true",
      // Tests end before code that is optimized by the last tier pays for its compilation: a tenth of the CPU time.
      BUN_JSC_useFTLJIT: "0",
      ...(process.stderr.isTTY ? { FORCE_COLOR: "1" } : {}),
    },
    stdio: ["ignore", "inherit", "pipe"],
  });
  let output = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stderr) {
    process.stderr.write(chunk);
    output += decoder.decode(chunk, { stream: true });
  }
  return { exitCode: await child.exited, output };
}

async function everything(): Promise<Tally[]> {
  const ready = await prerequisites();
  if (ready.failed > 0) return [ready];
  const [checked, tested] = await Promise.all([checkSources(), tests()]);
  for (const { findings } of checked) if (findings) console.error(`\n${findings}`);
  return [...checked, tested];
}

const parameters = await testArguments();
const tallies = await everything();
const passed = tallies.reduce((sum, one) => sum + one.passed, 0);
const failed = tallies.reduce((sum, one) => sum + one.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
