import { defineCommand } from "../arguments/command.ts";
import { argument, flag } from "../arguments/values.ts";
import { dataDirectoryOption, embeddedDataDirectory } from "../local-server/data-directory.ts";
import { UsageError } from "../process/usage-error.ts";

export const command = defineCommand({
  summary: "Replace an embedded server's data with a backup",
  details: "The server must be stopped. The file is checked before any data is replaced.",
  arguments: { file: argument("a file that `tollgate backup` wrote", "file") },
  options: { ...dataDirectoryOption, force: flag("replace existing data") },
  examples: [
    { command: "tollgate restore tollgate.tar.gz", text: "To ./data, which must not contain data." },
    {
      command: "tollgate restore tollgate.tar.gz --data-dir /var/lib/tollgate --force",
      text: "Replaces the existing data.",
    },
  ],
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
    return undefined;
  },
});
