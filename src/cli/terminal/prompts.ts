import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { UsageError } from "../process/usage-error.ts";
import type { Terminal } from "./terminal.ts";

/** Prompts on the error stream: standard output is for results. */
export async function ask(question: string, fallback?: string): Promise<string> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = (await answerTo(reader, `${question}${fallback === undefined ? "" : ` (${fallback})`}: `)).trim();
    return answer || (fallback ?? "");
  } finally {
    reader.close();
  }
}

/** What is typed is not shown. */
export async function askSecret(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // First this, which ends the terminal's own echo: who answers a question at once must not see the answer.
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    process.stderr.write(`${question} (what you type is not shown): `);
    return (await answerTo(reader, "")).trim();
  } finally {
    reader.close();
    process.stderr.write("\n");
  }
}

/** Nothing is deleted by pressing Enter, nor by a script without --yes. */
export async function confirm(terminal: Terminal, question: string): Promise<boolean> {
  if (!terminal.isInteractive)
    throw new UsageError(`${question} There is no terminal to confirm it.`, "Confirm with --yes.");
  const answer = await ask(`${terminal.noteStyle("yellow", "?")} ${question} (y/N)`);
  return /^(y|yes)$/i.test(answer);
}

/** A secret that a program hands over: one line, without its end. */
export async function secretFromStdin(what: string): Promise<string> {
  if (process.stdin.isTTY) return askSecret(what);
  const secret = (await Bun.stdin.text()).trim();
  if (secret === "") throw new UsageError(`There is no ${what.toLowerCase()} on standard input.`);
  return secret;
}

/** A value that a program hands over: all of it, without the end of its last line. */
export async function valueFromStdin(what: string): Promise<string> {
  return process.stdin.isTTY ? askSecret(what) : (await Bun.stdin.text()).replace(/\r?\n$/, "");
}

/** Ctrl-C and Ctrl-D are answers too: the command ends as a program does that was interrupted. */
async function answerTo(reader: ReturnType<typeof createInterface>, question: string): Promise<string> {
  const interrupted = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Interrupted());
    reader.once("SIGINT", giveUp);
    reader.once("close", giveUp);
  });
  return Promise.race([reader.question(question), interrupted]);
}

export class Interrupted extends Error {}
