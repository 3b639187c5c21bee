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
  arguments: { file: argument("the file to write, such as tollgate-2030-01-31.tar.gz", "file") },
  options: { ...dataDirectoryOption, force: flag("replace an existing file") },
  examples: [
    { command: "tollgate backup tollgate.tar.gz", text: "The server of this folder, from ./data." },
    {
      command: "tollgate backup /backups/nightly.tar.gz --data-dir /var/lib/tollgate --force",
      text: "For a nightly cron job.",
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
    return undefined;
  },
});
