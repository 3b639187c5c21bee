import type { UsageEvent } from "../../client/index.ts";
import { UsageError } from "../process/usage-error.ts";
import { textOf } from "../terminal/input-file.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The events of a file: a JSON array, or one per line. `-` is standard input. */
export async function readEvents(file: string, terminal: Terminal): Promise<UsageEvent[]> {
  const text = await textOf(file, terminal);
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
