/** Downloads the program from the archive of a release, and verifies its checksum before anything of it runs. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Returns the path of the program. Throws an error whose message is for the log. */
export async function downloadedProgram(url, sha256) {
  if (!/^[0-9a-f]{64}$/i.test(sha256)) throw new Error("The input sha256 must be the SHA-256 of the archive.");
  const archive = await download(url);
  const actual = createHash("sha256").update(archive).digest("hex");
  if (actual !== sha256.toLowerCase()) throw new Error(`The archive has the SHA-256 ${actual}, not ${sha256}.`);
  const folder = await mkdtemp(join(process.env.RUNNER_TEMP || tmpdir(), "tollgate-"));
  const file = join(folder, "archive.tar.gz");
  await writeFile(file, archive);
  const programs = join(folder, "program");
  await mkdir(programs);
  await promisify(execFile)("tar", ["-xzf", file, "-C", programs]);
  return join(programs, "tollgate");
}

async function download(url) {
  let response;
  try {
    response = await fetch(url);
  } catch (error) {
    throw new Error(`The archive cannot be downloaded from ${url}: ${error.cause?.message ?? error.message}`);
  }
  if (!response.ok) throw new Error(`The archive cannot be downloaded from ${url}: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}
