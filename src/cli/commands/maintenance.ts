import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../../lib/time/clock.ts";
import { PostgresHosts, parsePostgresUrl } from "../../platform/storage/postgres-hosts.ts";
import { defineCommand } from "../arguments/command.ts";
import { argument, flag, integer, named, option } from "../arguments/values.ts";
import { dataDirectoryOption, embeddedDataDirectory, readServerConfig } from "../local-server/server-config.ts";
import { bytes, counted, milliseconds } from "../output/show.ts";
import { onInterrupt } from "../process/interrupt.ts";
import { UsageError } from "../process/usage-error.ts";
import { LiveLine } from "../terminal/live-line.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const backup = defineCommand({
  summary: "Back up an embedded server while it runs",
  details: `Run it on the machine of the server; the server does not have to stop. The file contains a consistent snapshot of the database and the
encryption key, which is needed to show the values of keys again. Only you can read the file (mode 0600).

With --every, the command runs until it is stopped and backs up again when something has changed, to a file for each day in a folder or in
s3://bucket/prefix. The credential and the endpoint of S3 are AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT.`,
  arguments: { file: argument("the file to write, such as tollgate-2030-01-31.tar.gz", "file") },
  options: {
    ...dataDirectoryOption,
    force: flag("replace an existing file"),
    every: option("back up again and again, this often in seconds", integer),
  },
  examples: {
    "tollgate backup tollgate.tar.gz": "The server of this folder, from ./data.",
    "tollgate backup /backups/nightly.tar.gz --data-dir /var/lib/tollgate --force": "For a nightly cron job.",
    "tollgate backup s3://backups/tollgate --every 1": "A second copy that is about a second old.",
  },
  async run({ file, dataDir, force, every }, { terminal, environment }) {
    const directory = embeddedDataDirectory(dataDir, environment);
    if (every !== undefined) return secondCopy(directory, file, every, terminal);
    if (file === "-") throw new UsageError("A backup is written to a file, not to standard output.");
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(
        `${file} is a folder.`,
        `Name a file in it: tollgate backup ${join(file, "tollgate.tar.gz")}`,
      );
    if (!force && existsSync(file)) throw new UsageError(`${file} already exists.`, "--force replaces it.");
    const { backUp } = await import("../../platform/storage/data-directory/backup.ts");
    const tar = await import("../../client/deploy/tar.ts");
    const began = performance.now();
    const { recordBackup } = await import("../../platform/storage/data-directory/last-backup.ts");
    const { size, hasEncryptionKey } = await backUp(directory, file, tar);
    try {
      recordBackup(directory, { time: systemClock.now(), bytes: size });
    } catch (error) {
      terminal.note(`The status of the server will not show this backup: ${(error as Error).message}`);
    }
    terminal.note(`Backed up ${directory} to ${file}: ${bytes(size)} in ${milliseconds(performance.now() - began)}.`);
    terminal.note(
      hasEncryptionKey
        ? "The file contains the encryption key: protect it like the key."
        : "The file does not contain the encryption key: keep the server's TOLLGATE_ENCRYPTION_KEY too.",
    );
  },
});

async function secondCopy(directory: string, target: string, seconds: number, terminal: Terminal): Promise<undefined> {
  if (seconds < 1) throw new UsageError("--every is at least 1.");
  const { holdsData } = await import("../../platform/storage/data-directory/backup.ts");
  if (!holdsData(directory)) throw new Error(`There is no embedded server's database in ${directory}.`);
  if (!target.startsWith("s3://") && !statSync(target, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`There is no folder ${target}.`, "With --every, name a folder or s3://bucket/prefix.");
  const { keepSecondCopy } = await import("../../platform/storage/data-directory/second-copy.ts");
  const { recordBackup } = await import("../../platform/storage/data-directory/last-backup.ts");
  const writer = await import("../../client/deploy/tar.ts");
  const now = () => systemClock.now();
  let isFirst = true;
  await keepSecondCopy({
    ...{ directory, target, seconds, writer, now },
    signal: onInterrupt(),
    copied(size) {
      recordBackup(directory, { time: now(), bytes: size });
      if (isFirst)
        terminal.note(`Backed up ${directory} to ${target}: ${bytes(size)}. It continues until it is stopped.`);
      isFirst = false;
    },
    failed: (error) => terminal.note(`The backup failed and will be repeated: ${(error as Error).message}`),
  });
  return undefined;
}

export const restore = defineCommand({
  summary: "Replace an embedded server's data with a backup",
  details: "The server must be stopped. The file is checked before any data is replaced.",
  arguments: { file: argument("a file that `tollgate backup` wrote", "file") },
  options: { ...dataDirectoryOption, force: flag("replace existing data") },
  examples: {
    "tollgate restore tollgate.tar.gz": "To ./data, which must not contain data.",
    "tollgate restore tollgate.tar.gz --data-dir /var/lib/tollgate --force": "Replaces the existing data.",
  },
  async run({ file, dataDir, force }, { terminal, environment }) {
    const directory = embeddedDataDirectory(dataDir, environment);
    const { holdsData, restore } = await import("../../platform/storage/data-directory/backup.ts");
    if (!force && holdsData(directory))
      throw new UsageError(`${directory} already contains data of a server.`, "--force replaces it.");
    const { hasEncryptionKey } = await restore(file, directory);
    terminal.note(`Restored ${file} to ${directory}.`);
    if (!hasEncryptionKey)
      terminal.note(
        "The backup does not contain the encryption key: set TOLLGATE_ENCRYPTION_KEY to that of the old server.",
      );
    terminal.note(`Start it: TOLLGATE_DATA_DIR=${directory} tollgate serve`);
  },
});

export const migrate = defineCommand({
  summary: "Move an embedded server's data to PostgreSQL",
  details: `The server must be stopped, and the database empty. All rows are copied and then compared. The data directory is not changed.
An interrupted move continues when the command is run again. No server starts on the database before the move is complete.`,
  options: {
    to: option(
      "the database, as postgres://user@host/name; by default TOLLGATE_DATABASE_FEED_URL or DATABASE_URL",
      named("URL"),
    ),
    ...dataDirectoryOption,
  },
  examples: {
    "tollgate migrate --to postgres://tollgate@db.internal/tollgate": "From ./data.",
    "DATABASE_URL=postgres://… tollgate migrate --data-dir /var/lib/tollgate":
      "With a password that does not stay in the shell's history.",
  },
  async run({ to, dataDir }, { terminal, environment }) {
    const directory = resolve(dataDir ?? (environment.TOLLGATE_DATA_DIR || "data"));
    const url = checkedDatabase(to ?? (environment.TOLLGATE_DATABASE_FEED_URL || environment.DATABASE_URL));
    const { moveToPostgres } = await import("../../server/maintenance/move-to-postgres.ts");
    const began = performance.now();
    const progress = new MoveLines(terminal);
    try {
      const { rows, tables } = await moveToPostgres({
        directory,
        url,
        now: systemClock.now(),
        onProgress: (step) => progress.show(step),
        onResumed: (how) => progress.note(resumed[how]),
      });
      progress.end();
      terminal.note(
        `Moved ${counted(rows, "row")} of ${counted(tables, "table")} to ${new PostgresHosts(url).place} in ` +
          `${milliseconds(performance.now() - began)}; each was compared.`,
      );
    } finally {
      progress.end();
    }
    terminal.note(`Start it: DATABASE_URL=… TOLLGATE_DATA_DIR=${directory} tollgate serve`);
    terminal.note(
      "Servers elsewhere need the same encryption key: TOLLGATE_ENCRYPTION_KEY, or the content of encryption-key there.",
    );
  },
});

const resumed = {
  resumed: "Resuming an interrupted move.",
  restarted: "The data has changed since that move began: starting over.",
};

function checkedDatabase(text: string | undefined): string {
  if (!text) throw new UsageError("--to is missing.", "tollgate migrate --to postgres://user@host/name");
  const [url] = parsePostgresUrl(text) ?? [];
  // The URL is not repeated: it may contain a password.
  if (!url || new URL(url).pathname.length < 2)
    throw new UsageError("--to must be the address of a database, such as postgres://user@host/name.");
  return text;
}

/** Shows a bar at a terminal; elsewhere prints a line for each completed table. */
class MoveLines {
  readonly #line: LiveLine;

  constructor(private readonly terminal: Terminal) {
    this.#line = new LiveLine(terminal);
  }

  show({ phase, table, done, total }: { phase: "copy" | "verify"; table: string; done: number; total: number }): void {
    const what = phase === "copy" ? "Copied" : "Compared";
    if (done >= total) this.note(`${what} ${counted(total, "row")} of ${table}`);
    else this.#line.bar(`${what} ${done.toLocaleString("en")} of ${counted(total, "row")} of ${table}`, done, total);
  }

  note(text: string): void {
    this.#line.remove();
    this.terminal.note(text);
  }

  end(): void {
    this.#line.remove();
  }
}

export const reseal = defineCommand({
  summary: "Reseal stored values after a rotation of the encryption key",
  details: `Reads the same settings as the server: TOLLGATE_ENCRYPTION_KEY has the new key first and the old ones after it. A running
server reseals within minutes after a rotation on its own; an embedded one must be stopped for this command. An interrupted run
continues when the command is run again.`,
  options: dataDirectoryOption,
  examples: { 'TOLLGATE_ENCRYPTION_KEY="$NEW,$OLD" tollgate reseal': "Then the server starts with $NEW alone." },
  async run({ dataDir }, { terminal, environment }) {
    const config = readServerConfig(environment, dataDir);
    const { holdsData } = await import("../../platform/storage/data-directory/backup.ts");
    if (config.databaseUrl === undefined && !holdsData(config.dataDirectory))
      throw new Error(`There is no embedded server's database in ${config.dataDirectory}.`);
    const { resealDatabase } = await import("../../server/maintenance/reseal.ts");
    const line = new LiveLine(terminal);
    try {
      const { resealed, lost, unneeded, firstKey } = await resealDatabase(config, {
        clock: systemClock,
        onProgress: ({ table, checked, resealed: done }) =>
          line.spin(`${table}: ${checked.toLocaleString("en")} checked, ${done.toLocaleString("en")} resealed`),
      });
      line.remove();
      terminal.note(`Resealed ${counted(resealed, "value")}; all use encryption key ${firstKey} now.`);
      if (lost > 0) terminal.note(`${counted(lost, "value")} cannot be read: their encryption key is missing.`);
      for (const name of unneeded)
        terminal.note(`Encryption key ${name} is no longer needed: remove it from TOLLGATE_ENCRYPTION_KEY.`);
    } finally {
      line.remove();
    }
  },
});
