import { expect } from "bun:test";

/** The shell commands of a document, or of a part of it, block by block. */
export function commandsIn(markdown: string): string[] {
  return [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands]) => commands!);
}

export interface PastedOptions {
  cwd: string;
  env?: Record<string, string | undefined>;
  /** Runs before the first block. */
  before?: string;
}

const separator = "=== next";

/** Runs the blocks in one shell, like pasted. All must succeed and write no errors. Returns the output of each. */
export async function runPasted(blocks: string[], { before = "", ...options }: PastedOptions): Promise<string[]> {
  const script = [before, ...blocks.map((commands) => `${commands}\necho "${separator}"`)].join("\n");
  const run = Bun.spawn(["bash", "-e", "-c", script], { ...options, stdout: "pipe", stderr: "pipe" });
  const [output, errors, status] = await Promise.all([run.stdout.text(), run.stderr.text(), run.exited]);
  expect({ status, errors, output: status === 0 ? "" : output }).toEqual({ status: 0, errors: "", output: "" });
  return output.split(`${separator}\n`).slice(0, -1);
}
