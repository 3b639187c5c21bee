import { findProgram } from "../test/support/find-program.ts";
import { install } from "./apt-get.ts";

/** A terminal to run the command line in, and the shells that it completes in. */
const programs = ["tmux", "bash", "zsh", "fish"];

export async function ensureTerminalPrograms(): Promise<void> {
  try {
    programs.forEach(findProgram);
  } catch (missing) {
    await install(programs, missing);
    programs.forEach(findProgram);
  }
}
