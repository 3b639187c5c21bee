import { dlopen, ptr } from "bun:ffi";
import type { Environment } from "../config.ts";
import { isCompiled } from "../lib/program-beside.ts";

const setting = "BUN_CONFIG_MAX_HTTP_REQUESTS";
const most = "65535";

const libraries = process.platform === "darwin" ? ["libSystem.B.dylib"] : ["libc.so.6", `libc.musl-${muslName()}.so.1`];

/**
 * Bun asks upstreams at most 256 things at a time, and lets the rest wait, unless its environment says otherwise when it
 * starts: a few hundred slow answers of one upstream would hold up every other. So the program starts itself once more, in
 * its own place: the process stays the same. Where that fails it goes on as it is.
 */
export function liftRequestLimit(environment: Environment): void {
  if (environment[setting] !== undefined) return;
  const program = isCompiled ? process.argv.slice(2) : [...process.execArgv, ...process.argv.slice(1)];
  const variables = Object.entries({ ...environment, [setting]: most }).map(([name, value]) => `${name}=${value}`);
  for (const library of libraries) {
    try {
      const { symbols } = dlopen(library, { execve: { args: ["ptr", "ptr", "ptr"], returns: "int" } });
      const path = textOf(process.execPath);
      symbols.execve(ptr(path), listOf([process.execPath, ...program]), listOf(variables));
    } catch {
      // This system's library has another name.
    }
  }
}

function muslName(): string {
  return process.arch === "arm64" ? "aarch64" : "x86_64";
}

/** What C is pointed to, kept from the garbage collector until the process is another. */
const pointedTo: (Buffer | BigUint64Array)[] = [];

function textOf(text: string): Buffer {
  const bytes = Buffer.from(`${text}\0`);
  pointedTo.push(bytes);
  return bytes;
}

function listOf(texts: string[]) {
  const pointers = new BigUint64Array(texts.length + 1);
  for (const [index, text] of texts.entries()) pointers[index] = BigInt(ptr(textOf(text)));
  pointedTo.push(pointers);
  return ptr(pointers);
}
