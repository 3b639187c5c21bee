import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { UsageError } from "../process/usage-error.ts";
import type { Terminal } from "./terminal.ts";

/** Prompts use the error stream: standard output is for results. */
export async function ask(question: string, fallback?: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = (await answerTo(reader, `${question}${fallback === undefined ? "" : ` (${fallback})`}: `)).trim();
    return answer || (fallback ?? "");
  } finally {
    reader.close();
  }
}

/** The input is not echoed. */
export async function askSecret(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Raw mode is set before the prompt is printed, so that an immediate input is not echoed.
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    process.stderr.write(`${question} (input is hidden): `);
    return (await answerTo(reader, "")).trim();
  } finally {
    reader.close();
    process.stderr.write("\n");
  }
}

/** The default is no: neither Enter nor a script without --yes deletes anything. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  if (!terminal.isInteractive)
    throw new UsageError(`${question} There is no terminal to confirm it.`, "Confirm with --yes.");
  const answer = await ask(`${terminal.noteStyle("yellow", "?")} ${question} (y/N)`);
  return /^(y|yes)$/i.test(answer);
}

/** A secret from standard input: one line, without its line end. */
export async function secretFromStdin(terminal: Terminal, what: string): Promise<string> {
  if (terminal.hasTypedInput) return askSecret(what);
  const secret = (await terminal.input()).trim();
  if (secret === "") throw new UsageError(`There is no ${what.toLowerCase()} on standard input.`);
  return secret;
}

/** A value from standard input: all of it, without the last line end. */
export async function valueFromStdin(terminal: Terminal, what: string): Promise<string> {
  return terminal.hasTypedInput ? askSecret(what) : (await terminal.input()).replace(/\r?\n$/, "");
}

/** Ctrl-C and Ctrl-D end the command with the exit code of an interrupt. */
async function answerTo(reader: ReturnType<typeof createInterface>, question: string): Promise<string> {
  const interrupted = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Interrupted());
    reader.once("SIGINT", giveUp);
    reader.once("close", giveUp);
  });
  return Promise.race([reader.question(question), interrupted]);
}

export class Interrupted extends Error {}
