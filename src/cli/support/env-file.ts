import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** The variables of a project on the developer's machine; never deployed, and ignored by git. */
export const envFile = ".env.tollgate";

/** `NAME=value` by line. Empty where there is no such file. */
export async function readEnvFile(folder: string): Promise<Record<string, string>> {
  try {
    return parseEnv(await readFile(join(folder, envFile), "utf8")) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

/** A .gitignore that names the file too, whatever it names already. */
export async function ignoringEnvFile(folder: string): Promise<string> {
  const present = await readFile(join(folder, ".gitignore"), "utf8").catch(() => "");
  if (present.split(/\r?\n/).some((line) => line.trim().replace(/^\//, "") === envFile)) return present;
  return `${present}${present === "" || present.endsWith("\n") ? "" : "\n"}${envFile}\n`;
}
