import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import { claimBatch } from "../../platform/storage/batch-claims.ts";
import { writeSecretFile } from "../../platform/storage/data-directory/data-directory.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import { raiseExisting } from "../counters/raise-counters.ts";
import { addHour } from "../counters/usage-hours.ts";

const purpose = "unwritten usage";
/** About 600,000 counters. */
const maxBytes = 64 * 1024 * 1024;

/** A batch of a writer, with the number under which it would be written. */
export interface SavedBatch {
  number: number;
  usage: { subscriptionSeq: number; periodStart: number; meter: string; used: string; time: number }[];
}

/**
 * Usage on the disk of a node that cannot write it to storage, sealed. The next process writes it under the same
 * numbers, so that it is counted once although the first process may have written it at last.
 */
export class SavedUsage {
  readonly #file: string;
  #isRestored = false;

  constructor(
    private readonly directory: string,
    private readonly keyring: Keyring,
    private readonly ledger: { readonly writer: string; readonly unwrittenBatches: SavedBatch[] },
  ) {
    this.#file = `usage-${process.pid}-${ledger.writer}`;
  }

  /** Replaces what was saved by what is unwritten now. Returns false if that is too much. */
  save(): boolean {
    const sealed = this.keyring.seal(JSON.stringify(this.ledger.unwrittenBatches), purpose).toString("base64");
    if (sealed.length > maxBytes) return false;
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    writeSecretFile(join(this.directory, this.#file), sealed);
    return true;
  }

  clear(): void {
    rmSync(join(this.directory, this.#file), { force: true });
  }

  /** Writes what processes have saved that do not run any more. */
  async restore(storage: Storage, now: number): Promise<void> {
    if (this.#isRestored) return;
    const files = existsSync(this.directory) ? readdirSync(this.directory) : [];
    for (const file of files) {
      const [, process, writer] = /^usage-(\d+)-([^.]+)$/.exec(file) ?? [];
      if (!writer || file === this.#file || isRunning(Number(process))) continue;
      const path = join(this.directory, file);
      const batches: SavedBatch[] = JSON.parse(
        this.keyring.open(Buffer.from(readFileSync(path, "utf8"), "base64"), purpose),
      );
      for (const batch of batches) await writeBatch(storage, writer, batch, now);
      rmSync(path);
    }
    this.#isRestored = true;
  }
}

async function writeBatch(storage: Storage, writer: string, { number, usage }: SavedBatch, now: number): Promise<void> {
  await storage.write(async (transaction) => {
    if (!(await claimBatch(transaction, writer, number, now))) return;
    const changes = usage.map(({ subscriptionSeq, periodStart, meter, used, time }) => {
      const hours = new Map<number, bigint>();
      addHour(hours, time, BigInt(used));
      return { subscriptionSeq, periodStart, meter, events: 0, amount: 0n, consumed: BigInt(used), hours };
    });
    await raiseExisting(transaction, changes);
  });
}

/** In a container, a process often has the number of the one before it. */
function isRunning(id: number): boolean {
  try {
    return id !== process.pid && process.kill(id, 0);
  } catch {
    return false;
  }
}
