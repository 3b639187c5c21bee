import { readFile } from "node:fs/promises";
import { unreadable } from "../process/file-errors.ts";
import { UsageError } from "../process/usage-error.ts";
import type { Terminal } from "./terminal.ts";

/** The text of a file of the command line; `-` is standard input. */
export async function textOf(file: string, terminal: Terminal, hint?: string): Promise<string> {
  try {
    return file === "-" ? await terminal.input() : await readFile(file, "utf8");
  } catch (error) {
    throw new UsageError(unreadable(file, error), hint);
  }
}
