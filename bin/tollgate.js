#!/usr/bin/env node
// Tollgate runs on Bun, which npm installed beside it: nobody needs to have `bun` on the PATH.
import { spawn } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const root = join(dirname(fileURLToPath(import.meta.url)), "..");

// Bundled, the program starts in half the time. The package contains only the bundle. In a checkout the bundle may be older than the sources,
// so that it is used only by `npm start` and `npm run demo`, which build it.
const isBundle = process.env.LAUNCHER_PROGRAM === "bundle" || !existsSync(join(root, "src/main.ts"));
const main = join(root, isBundle ? "dist/program/src/main.ts" : "src/main.ts");

// Bun reads these as it starts. Freed memory goes back to the system after a minute instead of ten milliseconds: returned at once,
// nearly every request faults a page in again. A thread that touches the heap's blocks ahead then costs more than it saves.
const runtimeEnvironment = require("../src/cli/local-server/runtime-environment.json");

function findBun() {
  const bun = dirname(require.resolve("bun/package.json"));
  const fromBun = createRequire(join(bun, "package.json"));
  const candidates = [() => join(bun, "bin/bun.exe")];
  // Where npm may not run install scripts, the program is still in the package for the platform.
  for (const variant of ["", "-baseline", "-musl", "-musl-baseline"])
    candidates.push(() => fromBun.resolve(`@oven/bun-${platform()}${variant}/bin/bun`));
  for (const candidate of candidates) {
    try {
      const path = candidate();
      // What stands there before the install script ran is a small text.
      if (statSync(path).size > 1_000_000) return path;
    } catch {}
  }
  throw new Error(
    `The package "bun" holds no program for ${process.platform} ${process.arch}. Run \`npm install\` again, with scripts.`,
  );
}

function platform() {
  return `${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`;
}

let bun;
try {
  bun = findBun();
} catch (error) {
  process.stderr.write(`tollgate: ${error.message}\n`);
  process.exit(1);
}
// A stray .env file in the current folder must not change a server.
const child = spawn(bun, ["--no-env-file", main, ...process.argv.slice(2)], {
  stdio: "inherit",
  // By its number the child notices that this process is gone, also where it was killed and could pass no signal on.
  env: { ...runtimeEnvironment, ...process.env, LAUNCHER_PID: String(process.pid) },
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`tollgate: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
