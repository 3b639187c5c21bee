import { schemeHeader } from "../../platform/egress/server.ts";
import { callHeader, publicSchemeHeader } from "./call.ts";

/**
 * Fixed, so that an update of workerd does not change the environment of code. From a later date on workerd provides
 * Node's modules, including a file system, which code must not have.
 */
const compatibilityDate = "2025-09-01";

/** The memory of the process outside the V8 heap. Under steady load a process used 235 MB in total. */
const outsideHeapMegabytes = 128;

/** The files in a process's folder that its configuration names. */
export const files = {
  config: "config.capnp",
  runtime: "runtime.js",
  beforeCode: "before-code.js",
  code: "code.js",
  environment: "environment.json",
  settings: "settings.json",
  socket: "in",
} as const;

/**
 * The configuration of one process in Cap'n Proto: our runtime, the project's code, and the egress as the only way out.
 * No disk, no other service, no inspector.
 */
export function workerdConfig(options: { folder: string; egressSocket: string; memoryMegabytes: number }): string {
  const heapMegabytes = Math.max(16, options.memoryMegabytes - outsideHeapMegabytes);
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  v8Flags = ["--max-heap-size=${heapMegabytes}"],
  sockets = [(
    name = "in",
    address = ${text(`unix:${options.folder}/${files.socket}`)},
    http = (
      cfBlobHeader = ${text(callHeader)},
      forwardedProtoHeader = ${text(publicSchemeHeader)},
      injectRequestHeaders = [(name = "connection")]
    ),
    service = "code"
  )],
  services = [
    (name = "code", worker = (
      modules = [
        (name = "runtime.js", esModule = embed "${files.runtime}"),
        (name = "before-code.js", esModule = embed "${files.beforeCode}"),
        (name = "code", esModule = embed "${files.code}"),
        (name = "environment", json = embed "${files.environment}"),
        (name = "settings", json = embed "${files.settings}")
      ],
      compatibilityDate = "${compatibilityDate}",
      compatibilityFlags = ["nodejs_als"],
      globalOutbound = "egress"
    )),
    (name = "egress", external = (
      address = ${text(`unix:${options.egressSocket}`)},
      http = (style = host, forwardedProtoHeader = ${text(schemeHeader)})
    ))
  ]
);
`;
}

/** Quotes a text for Cap'n Proto: like JSON, as far as file names are concerned. */
function text(value: string): string {
  return JSON.stringify(value);
}
