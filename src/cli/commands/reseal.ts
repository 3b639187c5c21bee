import { systemClock } from "../../lib/clock.ts";
import { defineCommand } from "../support/command.ts";
import { dataDirectoryOption } from "../support/data-directory.ts";
import { LiveLine } from "../support/live-line.ts";
import { readServerConfig } from "../support/server-config.ts";
import { counted } from "../support/show.ts";

export const command = defineCommand({
  summary: "Seal stored values anew after a rotation of the encryption key",
  details: `Reads the same settings as the server: TOLLGATE_ENCRYPTION_KEY has the new key first and the old ones after it. A running
server does the same by itself, within minutes after a rotation; an embedded one must be stopped for this command. A run that was
cut off is run again: it goes on where it was.`,
  arguments: {},
  options: dataDirectoryOption,
  examples: [
    {
      command: 'TOLLGATE_ENCRYPTION_KEY="$NEW,$OLD" tollgate reseal',
      text: "Afterwards a server with $NEW alone starts.",
    },
  ],
  async run({ dataDir }, { terminal, environment }) {
    const config = readServerConfig(environment, dataDir);
    const { holdsData } = await import("../../platform/storage/backup.ts");
    if (config.databaseUrl === undefined && !holdsData(config.dataDirectory))
      throw new Error(`There is no embedded server's database in ${config.dataDirectory}.`);
    const { resealDatabase } = await import("../../server/reseal.ts");
    const line = new LiveLine(terminal);
    try {
      const { resealed, lost, unneeded, firstKey } = await resealDatabase(config, {
        clock: systemClock,
        onProgress: ({ table, checked, resealed: done }) =>
          line.spin(`${table}: ${checked.toLocaleString("en")} checked, ${done.toLocaleString("en")} sealed anew`),
      });
      line.remove();
      terminal.note(`Sealed ${counted(resealed, "value")} anew; all are under encryption key ${firstKey} now.`);
      if (lost > 0) terminal.note(`${counted(lost, "value")} cannot be read: their encryption key is not here.`);
      for (const name of unneeded)
        terminal.note(`Encryption key ${name} is no longer needed: remove it from TOLLGATE_ENCRYPTION_KEY.`);
    } finally {
      line.remove();
    }
    return undefined;
  },
});
