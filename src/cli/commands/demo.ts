import { listenErrors } from "../../config/ports.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import { OwnAddress } from "../../server/foundation/own-address.ts";
import { defineCommand } from "../arguments/command.ts";
import { amount, flag, integer, option } from "../arguments/values.ts";
import { useRuntimeEnvironment } from "../local-server/runtime-environment.ts";
import { dataDirectoryOption, readServerConfig } from "../local-server/server-config.ts";
import { counted, milliseconds } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import { LiveLine } from "../terminal/live-line.ts";

export const demo = defineCommand({
  summary: "Create sample data on an empty server",
  details: `A shipping API with its customers, keys, plans, invoices, deployments, webhooks and weeks of traffic. The data is
not written to the database directly: the server runs on loopback with a clock that starts weeks ago and handles the requests of
staff and customers. It takes about a minute. The command reads the same settings as the server, which must be stopped and empty.`,
  options: {
    ...dataDirectoryOption,
    weeks: option("length of the history in weeks, 1 to 12; 6 by default", integer),
    traffic: option("amount of traffic, 0.1 to 10; 1 is about 1,500 requests a day", amount),
    seed: option("text that selects other volumes, orders and errors"),
    serve: flag("start the server afterwards"),
  },
  examples: {
    "tollgate demo --serve": "Then open the console at the printed address.",
    "tollgate demo --data-dir /tmp/demo --weeks 2": "In another data directory, with a shorter history.",
  },
  async run({ dataDir, weeks = 6, traffic = 1, seed = "waybill", serve: wantsServer }, { terminal, environment }) {
    if (wantsServer) useRuntimeEnvironment(environment);
    if (weeks < 1 || weeks > 12) throw new UsageError(`--weeks must be from 1 to 12, not ${weeks}.`);
    if (traffic < 0.1 || traffic > 10) throw new UsageError(`--traffic must be from 0.1 to 10, not ${traffic}.`);
    const settings = { ...environment, ...(dataDir !== undefined && { TOLLGATE_DATA_DIR: dataDir }) };
    const config = readServerConfig(environment, dataDir);
    const { contentsOf } = await import("../../server/maintenance/contents.ts");
    const found = await contentsOf(config, systemClock);
    const place = config.databaseUrl === undefined ? config.dataDirectory : "The database";
    if (found.length > 0)
      throw new UsageError(
        `${place} is not empty: it contains ${found.join(", ")}. Nothing was changed.`,
        "Name a new data directory: tollgate demo --data-dir ./demo",
      );

    // The server that is filled listens on loopback.
    const busy = listenErrors({ ...config, host: "127.0.0.1", httpListener: undefined }, []);
    if (busy.length > 0) throw new UsageError(`Nothing was changed: ${busy.join(" ")}`);

    const { fill } = await import("../demo-data/fill.ts");
    const began = performance.now();
    const line = new LiveLine(terminal);
    terminal.note(`Creating sample data of ${counted(weeks, "week")}.`);
    const filled = await fill(config, {
      until: systemClock.now(),
      weeks,
      seed,
      traffic,
      onProgress: ({ share, time, requests }) =>
        line.bar(`${formatDateTime(time).slice(0, 10)}  ${counted(requests, "request")}`, share, 1),
      warn: (text) => terminal.note(text.trimEnd()),
    }).finally(() => line.remove());

    const { requests, customers, deployment, key, firstStart } = filled;
    const took = milliseconds(performance.now() - began);
    terminal.note(`Created ${counted(customers, "customer")} and sent ${counted(requests, "request")} in ${took}.\n`);
    const { adminToken } = firstStart;
    const address = new OwnAddress(config);
    address.listensOn(config.port);
    if (!wantsServer)
      terminal.print(`Start it        ${dataDir === undefined ? "" : `TOLLGATE_DATA_DIR=${dataDir} `}tollgate serve`);
    terminal.print(`Open            ${address.publicUrl}/console`);
    terminal.print(`Sign in with    ${adminToken ? `the token in ${adminToken.file}` : "your token"}`);
    terminal.print(`Call the API    curl -H "Authorization: Bearer ${key}" "${deployment.url}/tracking/WB123456"`);
    if (!wantsServer) return undefined;
    const { serve } = await import("../local-server/serve.ts");
    return serve(settings);
  },
});
