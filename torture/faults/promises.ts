import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const document = readFileSync(join(import.meta.dir, "../../docs/failures.md"), "utf8");

/**
 * The promises of docs/failures.md under a heading, in bold. A fault names the ones that it has verified, in the
 * document's words, so that neither can change without the other.
 */
export class Promises {
  readonly #open: Set<string>;

  constructor(readonly heading: string) {
    const section = document.split("\n## ").find((each) => each.startsWith(`${heading}\n`));
    if (section === undefined) throw new Error(`docs/failures.md has nothing on "${heading}".`);
    this.#open = new Set(
      [...section.matchAll(/^- \*\*(.+?)\*\*/gms)].map(([, promise]) => promise!.replace(/\s+/g, " ")),
    );
  }

  /** Call it after the promise was asserted. */
  kept(promise: string): void {
    if (!this.#open.delete(promise))
      throw new Error(`docs/failures.md does not promise, or promises once, under "${this.heading}": ${promise}`);
  }

  allKept(): void {
    expect([...this.#open], `promises of "${this.heading}" that nothing was done to test`).toEqual([]);
  }
}
