import { systemClock } from "../../lib/time/clock.ts";
import { defineCommand } from "../arguments/command.ts";
import { dataDirectoryOption } from "../local-server/data-directory.ts";
import { readServerConfig } from "../local-server/server-config.ts";
import { counted } from "../output/show.ts";
import { LiveLine } from "../terminal/live-line.ts";

export const command = defineCommand({
  summary: "Reseal stored values after a rotation of the encryption key",
  details: `Reads the same settings as the server: TOLLGATE_ENCRYPTION_KEY has the new key first and the old ones after it. A running
server reseals within minutes after a rotation on its own; an embedded one must be stopped for this command. An interrupted run
continues when the command is run again.`,
  arguments: {},
  options: dataDirectoryOption,
  examples: [
    {
      command: 'TOLLGATE_ENCRYPTION_KEY="$NEW,$OLD" tollgate reseal',
      text: "Then the server starts with $NEW alone.",
    },
  ],
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
    return undefined;
  },
});
