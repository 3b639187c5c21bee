import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../lib/time/clock.ts";
import { defineCommand } from "../arguments/command.ts";
import { argument, flag } from "../arguments/values.ts";
import { dataDirectoryOption, embeddedDataDirectory } from "../local-server/data-directory.ts";
import { bytes, milliseconds } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";

export const command = defineCommand({
  summary: "Back up an embedded server while it runs",
  details: `Run it on the machine of the server; the server does not have to stop. The file contains a consistent snapshot of the database and the
encryption key, which is needed to show the values of keys again. Only you can read the file (mode 0600).`,
  arguments: { file: argument("where to, such as tollgate-2030-01-31.tar.gz", "file") },
  options: { ...dataDirectoryOption, force: flag("replace a file that is there") },
  examples: [
    { command: "tollgate backup tollgate.tar.gz", text: "The server of this folder, from ./data." },
    {
      command: "tollgate backup /backups/nightly.tar.gz --data-dir /var/lib/tollgate --force",
      text: "Each night, from cron.",
    },
  ],
  async run({ file, dataDir, force }, { terminal, environment }) {
    const directory = embeddedDataDirectory(dataDir, environment);
    if (file === "-") throw new UsageError("A backup is written to a file, not to standard output.");
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(
        `${file} is a folder.`,
        `Name a file in it: tollgate backup ${join(file, "tollgate.tar.gz")}`,
      );
    if (!force && existsSync(file)) throw new UsageError(`${file} is there already.`, "--force replaces it.");
    const { backUp } = await import("../../platform/storage/data-directory/backup.ts");
    const began = performance.now();
    const { recordBackup } = await import("../../platform/storage/data-directory/last-backup.ts");
    const { size, hasEncryptionKey } = await backUp(directory, file);
    try {
      recordBackup(directory, { time: systemClock.now(), bytes: size });
    } catch (error) {
      terminal.note(`The server's status will not show it: ${(error as Error).message}`);
    }
    terminal.note(`Backed up ${directory} to ${file}: ${bytes(size)} in ${milliseconds(performance.now() - began)}.`);
    terminal.note(
      hasEncryptionKey
        ? "The encryption key is in it: keep the file as you would keep the key."
        : "The encryption key is not in it: it is what the server has as TOLLGATE_ENCRYPTION_KEY. Keep that too.",
    );
    return undefined;
  },
});
