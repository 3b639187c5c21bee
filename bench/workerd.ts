import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findWorkerd } from "../src/gateway/sandbox/workerd-processes.ts";
import { type RivalServer, startProgram } from "./child-process.ts";
import { findFreePort } from "./server.ts";

/** A workerd that listens by itself and runs one module worker: no gateway before it, nothing around it. */
export async function startBareWorkerd(folder: string, worker: string): Promise<RivalServer> {
  mkdirSync(folder, { recursive: true });
  const port = findFreePort();
  const file = join(folder, "config.capnp");
  await Bun.write(join(folder, "worker.js"), worker);
  await Bun.write(file, configuration(port));
  return startProgram([findWorkerd(), "serve", file], port);
}

function configuration(port: number): string {
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "worker")],
  services = [(name = "worker", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2025-09-01"
  ))]
);
`;
}
