import { resolve } from "node:path";
import { systemClock } from "../../lib/time/clock.ts";
import { PostgresHosts, parsePostgresUrl } from "../../platform/storage/postgres-hosts.ts";
import { defineCommand } from "../arguments/command.ts";
import { named, option } from "../arguments/values.ts";
import { dataDirectoryOption } from "../local-server/data-directory.ts";
import { counted, milliseconds } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import { LiveLine } from "../terminal/live-line.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const command = defineCommand({
  summary: "Move an embedded server's data to PostgreSQL",
  details: `The server must be stopped, and the database empty. All rows are copied and then compared. The data directory is not changed.
An interrupted move continues when the command is run again. No server starts on the database before the move is complete.`,
  arguments: {},
  options: {
    to: option(
      "the database, as postgres://user@host/name; by default TOLLGATE_DATABASE_FEED_URL or DATABASE_URL",
      named("URL"),
    ),
    ...dataDirectoryOption,
  },
  examples: [
    { command: "tollgate migrate --to postgres://tollgate@db.internal/tollgate", text: "From ./data." },
    {
      command: "DATABASE_URL=postgres://… tollgate migrate --data-dir /var/lib/tollgate",
      text: "With a password that does not stay in the shell's history.",
    },
  ],
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
    return undefined;
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
