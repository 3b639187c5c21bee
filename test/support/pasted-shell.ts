import { started, stopped } from "./left-running.ts";
import { until } from "./until.ts";

/** A shell that blocks of a document are pasted into, one by one, for documents with steps in between. */
export class PastedShell {
  output = "";
  readonly #shell;
  readonly #reading: Promise<void>[];
  #blocks = 0;

  constructor(options: { cwd: string; env: Record<string, string | undefined> }) {
    this.#shell = Bun.spawn(["bash", "-e"], { ...options, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
    started(this, "a shell");
    this.#reading = [this.#shell.stdout, this.#shell.stderr].map(async (stream) => {
      const decoder = new TextDecoder();
      for await (const chunk of stream) this.output += decoder.decode(chunk, { stream: true });
    });
    // Background jobs of the document end with it, also if it fails.
    this.paste("exec 2>&1\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT");
  }

  /** Pastes a block without waiting for its end. */
  paste(block: string): void {
    this.#shell.stdin.write(block.endsWith("\n") ? block : `${block}\n`);
    this.#shell.stdin.flush();
  }

  /** Pastes a block, and returns what it printed. Throws if a command fails. */
  async run(block: string): Promise<string> {
    const start = this.output.length;
    const end = `=== end ${++this.#blocks}`;
    this.paste(block);
    this.paste(`echo "${end}"`);
    const shown = () => this.output.slice(start);
    await until(() => shown().includes(`${end}\n`) || this.#shell.exitCode !== null, { what: shown });
    if (!shown().includes(`${end}\n`)) throw new Error(`The block failed:\n${block}\n${shown()}`);
    return shown().replace(`${end}\n`, "");
  }

  async stop(): Promise<void> {
    stopped(this);
    this.paste("exit 0");
    this.#shell.stdin.end();
    await this.#shell.exited;
    await Promise.all(this.#reading);
  }
}
