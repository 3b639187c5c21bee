import { afterAll, beforeAll } from "bun:test";
import { Tollgate } from "../../src/client/index.ts";
import { Cli } from "./cli.ts";
import { type Engine, sqlite } from "./engines.ts";
import type { FakeClock } from "./fake-clock.ts";
import { startServer, type TestServer } from "./server.ts";
import { adminToken, type Environment } from "./server-settings.ts";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

/**
 * The CLI and a client that checks the results. The server is in this process, where a start takes a tenth of the CPU time.
 */
export interface CliBench {
  readonly cli: Cli;
  readonly client: Tollgate;
  readonly server: TestServer;
}

/** For all tests of the surrounding `describe`, or of the file. The server has the real time unless there is a clock. */
export function useCli(environment: Environment = {}, engine: Engine = sqlite, clock?: FakeClock): CliBench {
  let server: TestServer;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await temporaryFolder("cli");
    server = await startServer(engine, { environment, ...(clock ? { clock } : { hasRealTime: true }) });
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
