import { TollgateError } from "../../client/index.ts";
import { printable } from "../output/show.ts";
import { exitCodes } from "../process/exit-codes.ts";
import { LiveLine } from "../terminal/live-line.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { BulkItem } from "./bulk-file.ts";

const maxFailuresShown = 20;

/** Counts the result of each item of a file, shows the progress and prints a summary. */
export class BulkRun {
  readonly #line: LiveLine;
  readonly #failed: { place: string; why: string }[] = [];
  #created = 0;
  #existing = 0;

  constructor(
    private readonly terminal: Terminal,
    private readonly total: number,
  ) {
    this.#line = new LiveLine(terminal);
    this.#show();
  }

  created(count: number): void {
    this.#created += count;
    this.#show();
  }

  existing(count: number): void {
    this.#existing += count;
    this.#show();
  }

  failed(items: BulkItem[], why: string): void {
    this.#failed.push(...items.map(({ place }) => ({ place, why })));
    this.#show();
  }

  /** Removes the progress line. Call it before other output is written. */
  pause(): void {
    this.#line.remove();
  }

  /** Prints the summary and returns the exit code. */
  finish(): number {
    this.#line.remove();
    const { terminal } = this;
    for (const { place, why } of this.#failed.slice(0, maxFailuresShown))
      terminal.note(`${terminal.noteStyle("red", "✗")} ${place}: ${printable(why)}`);
    const unseen = this.#failed.length - maxFailuresShown;
    if (unseen > 0) terminal.note(`  … and ${unseen} more`);
    const remaining = this.total - this.#done;
    const parts = [`${this.#created} created`];
    if (this.#existing > 0) parts.push(`${this.#existing} existing`);
    if (this.#failed.length > 0) parts.push(`${this.#failed.length} rejected`);
    if (remaining > 0) parts.push(`${remaining} not completed`);
    terminal.note(`${parts.join(", ")}.`);
    if (this.#failed.length + remaining === 0) return exitCodes.success;
    terminal.note(
      `  ${terminal.noteStyle("cyan", "→")} Fix this and run the command again: existing items are not created twice.`,
    );
    return exitCodes.failed;
  }

  get #done(): number {
    return this.#created + this.#existing + this.#failed.length;
  }

  #show(): void {
    this.#line.bar(`${this.#done} of ${this.total}`, this.#done, this.total);
  }
}

const concurrency = 8;

/** Works on several items at a time. Returns the error that ended it, so that results can be shown before it is thrown. */
export async function severalAtOnce<Item>(
  items: Item[],
  work: (item: Item) => Promise<void>,
): Promise<PromiseRejectedResult | undefined> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  const workers = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  return workers.find((each) => each.status === "rejected");
}

/** The reason for a rejected item, in one line. */
export function reasonOf({ detail, errors }: TollgateError): string {
  return errors.length === 0
    ? detail
    : errors.map(({ pointer, detail: each }) => `${pointer.slice(1)} ${each}`).join("; ");
}

/** Whether only this item failed. With other errors, the remaining items would fail too. */
export function isItemError(error: unknown): error is TollgateError {
  if (!(error instanceof TollgateError)) return false;
  return error.status !== 0 && error.status !== 401 && error.status !== 403 && error.status < 429;
}
