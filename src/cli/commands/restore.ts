import { defineCommand } from "../arguments/command.ts";
import { argument, flag } from "../arguments/values.ts";
import { dataDirectoryOption, embeddedDataDirectory } from "../local-server/data-directory.ts";
import { UsageError } from "../process/usage-error.ts";

export const command = defineCommand({
  summary: "Replace an embedded server's data with a backup",
  details: "The server must be stopped. The file is checked before any data is replaced.",
  arguments: { file: argument("what tollgate backup wrote", "file") },
  options: { ...dataDirectoryOption, force: flag("replace the data that is there") },
  examples: [
    { command: "tollgate restore tollgate.tar.gz", text: "To ./data, where there is none yet." },
    {
      command: "tollgate restore tollgate.tar.gz --data-dir /var/lib/tollgate --force",
      text: "In the place of what is there.",
    },
  ],
  async run({ file, dataDir, force }, { terminal, environment }) {
    const directory = embeddedDataDirectory(dataDir, environment);
    const { holdsData, restore } = await import("../../platform/storage/data-directory/backup.ts");
    if (!force && holdsData(directory))
      throw new UsageError(`${directory} holds a server's data already.`, "--force replaces it.");
    const { hasEncryptionKey } = await restore(file, directory);
    terminal.note(`Restored ${file} to ${directory}.`);
    if (!hasEncryptionKey)
      terminal.note("The encryption key is not in it: set TOLLGATE_ENCRYPTION_KEY as the old server had it.");
    terminal.note(`Start it: TOLLGATE_DATA_DIR=${directory} tollgate serve`);
    return undefined;
  },
});
