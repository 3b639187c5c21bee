import { afterAll, beforeAll } from "bun:test";
import { Tollgate } from "../../src/client/index.ts";
import { Cli } from "./cli.ts";
import { type Engine, sqlite } from "./engines.ts";
import { adminToken, type Environment } from "./server-settings.ts";
import { type SpawnedServer, spawnServer } from "./spawned-server.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

/** A real server in a separate process, the CLI, and a client that checks the results. */
export interface CliBench {
  readonly cli: Cli;
  readonly client: Tollgate;
  readonly server: SpawnedServer;
}

/** For all tests of the surrounding `describe`, or of the file. */
export function useCli(environment: Environment = {}, engine: Engine = sqlite): CliBench {
  let server: SpawnedServer;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await temporaryFolder("cli");
    server = await spawnServer(engine, { environment });
  });
  afterAll(async () => {
    await server.stop();
    await folder.remove();
  });
  return {
    get server() {
      return server;
    },
    get cli() {
      return new Cli(folder, server);
    },
    get client() {
      return new Tollgate({ url: server.url, token: adminToken });
    },
  };
}
