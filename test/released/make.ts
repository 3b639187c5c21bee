/**
 * `bun test/released/make.ts` in the checkout of a release: fills a server of that release on both engines by its own
 * API and writes the databases and responses to `test/released/<version>/`. See README.md.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { engines } from "../support/engines.ts";
import { startPostgres } from "../support/postgres.ts";
import { startServer } from "../support/server.ts";
import { dump } from "./dump.ts";
import { fill, settings } from "./fill.ts";

process.env.TOLLGATE_TEST_DATABASE_URL ||= await startPostgres();
const folder = join(import.meta.dir, packageJson.version);
await mkdir(folder, { recursive: true });
for (const engine of engines) {
  const database = await engine.freshDatabase();
  const server = await startServer(engine, { database, environment: settings });
  const released = await fill(server);
  await server.stop();
  await Bun.write(join(folder, `${engine.name}.sql`), await dump(database));
  await Bun.write(join(folder, `${engine.name}.json`), `${JSON.stringify(released, null, 2)}\n`);
  await database.drop();
}
process.exit(0);
