import { readFile } from "node:fs/promises";
import type { UsageEvent } from "../../client/index.ts";
import { UsageError } from "../process/usage-error.ts";

/** The events of a file: a JSON array, or one per line. `-` is standard input. */
export async function readEvents(file: string): Promise<UsageEvent[]> {
  const text = file === "-" ? await Bun.stdin.text() : await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) throw new UsageError(`${file} cannot be read.`);
  if (text.trim() === "") throw new UsageError(`${file} is empty.`);
  if (/^\s*\[/.test(text)) return parse(text, file);
  return text
    .split("\n")
    .map((line, index) => ({ line, place: `${file}, line ${index + 1}` }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, place }) => parse(line, place));
}

function parse<Content>(text: string, place: string): Content {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${place} is not JSON: ${(error as Error).message}`);
  }
}
