/**
 * A server like that of `tollgate serve`, whose time moves on by 32 days with SIGUSR2. Only for benchmarks: what a month
 * ends for thousands of customers cannot be waited for.
 */
import { readConfig } from "../src/config/config.ts";
import { startServer } from "../src/server/server.ts";

const monthMilliseconds = 32 * 24 * 60 * 60 * 1000;

let offset = 0;
process.on("SIGUSR2", () => {
  offset += monthMilliseconds;
});
const server = await startServer(readConfig(process.env), { clock: { now: () => Date.now() + offset } });
process.once("SIGTERM", async () => {
  await server.stop();
  process.exit(0);
});
