/** `bun bench/run.ts [name…] [--json FILE]`: measures, prints the table, and fails when a target is missed. */
import { parseArgs } from "node:util";
import { bulkKeys } from "./benchmarks/bulk-keys.ts";
import { consumeQuota } from "./benchmarks/consume-quota.ts";
import { createConsumers } from "./benchmarks/create-consumers.ts";
import { deploy } from "./benchmarks/deploy.ts";
import { gateway } from "./benchmarks/gateway.ts";
import { lists } from "./benchmarks/lists.ts";
import { readUsage } from "./benchmarks/read-usage.ts";
import { sandbox } from "./benchmarks/sandbox.ts";
import { start } from "./benchmarks/start.ts";
import { usageEvents } from "./benchmarks/usage-events.ts";
import { verifyKey } from "./benchmarks/verify-key.ts";
import { verifyMillionKeys } from "./benchmarks/verify-million-keys.ts";
import { progress } from "./progress.ts";
import { isMet, type Row, renderTable } from "./table.ts";
import { Workspace } from "./workspace.ts";

const benchmarks: Record<string, (workspace: Workspace) => Promise<Row[]>> = {
  start,
  "verify-key": verifyKey,
  "verify-million-keys": verifyMillionKeys,
  "create-consumers": createConsumers,
  "bulk-keys": bulkKeys,
  lists,
  "usage-events": usageEvents,
  "consume-quota": consumeQuota,
  "read-usage": readUsage,
  gateway,
  sandbox,
  deploy,
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "string" } } });
const unknown = positionals.filter((name) => !(name in benchmarks));
if (unknown.length > 0) {
  process.stderr.write(`no benchmark ${unknown.join(", ")}; there are ${Object.keys(benchmarks).join(", ")}\n`);
  process.exit(2);
}

const rows: Row[] = [];
{
  using workspace = new Workspace();
  // Interrupted, the run still removes its files: exit handlers do not run `using`.
  process.on("exit", () => workspace[Symbol.dispose]());
  process.on("SIGINT", () => process.exit(130));
  process.on("SIGTERM", () => process.exit(143));
  for (const [name, benchmark] of Object.entries(benchmarks)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    progress(name);
    rows.push(...(await benchmark(workspace)));
  }
}

console.log(renderTable(rows));
if (values.json !== undefined) {
  const report = rows.map((row) => ({ ...row, ok: isMet(row) }));
  await Bun.write(values.json, `${JSON.stringify(report, null, 2)}\n`);
}
process.exit(rows.every(isMet) ? 0 : 1);
