import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** The variables of a project on the developer's machine. The file is not deployed, and git ignores it. */
export const envFile = ".env.tollgate";

export interface EnvVariable {
  value: string;
  /** The line number, counted from 1. */
  line: number;
}

/**
 * Parses lines of `NAME=value`. Returns an empty list if the file does not exist. Throws if a line is neither that nor
 * a comment.
 */
export async function readEnvFile(folder: string): Promise<Map<string, EnvVariable>> {
  try {
    return parseEnvFile(await readFile(join(folder, envFile), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return new Map();
    throw error;
  }
}

export function parseEnvFile(text: string): Map<string, EnvVariable> {
  const lines = linesByName(text);
  const values = Object.entries(parseEnv(text) as Record<string, string>);
  return new Map(values.map(([name, value]) => [name, { value, line: lines.get(name) ?? 1 }]));
}

/** `parseEnv` skips invalid lines and returns no line numbers. */
function linesByName(text: string): Map<string, number> {
  const lines = text.split(/\r?\n/);
  const found = new Map<string, number>();
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!.trim();
    if (line === "" || line.startsWith("#")) continue;
    const [, name, value] = /^(?:export\s+)?([^\s=]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      // The whole line is not printed: it may contain a secret.
      const [word] = line.split(/[\s=:]/);
      throw new Error(`${envFile}:${at + 1}: ${word || "the line"} must be written NAME=value`);
    }
    found.set(name, at + 1);
    const [quote] = /^["'`]/.exec(value) ?? [];
    if (quote === undefined || value.includes(quote, 1)) continue;
    const end = lines.findIndex((later, index) => index > at && later.includes(quote));
    if (end > 0) at = end;
  }
  return found;
}

/** The content of .gitignore with an entry for the file. */
export async function ignoringEnvFile(folder: string): Promise<string> {
  const present = await readFile(join(folder, ".gitignore"), "utf8").catch(() => "");
  if (present.split(/\r?\n/).some((line) => line.trim().replace(/^\//, "") === envFile)) return present;
  return `${present}${present === "" || present.endsWith("\n") ? "" : "\n"}${envFile}\n`;
}
