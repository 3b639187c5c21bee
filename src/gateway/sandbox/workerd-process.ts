import { closeSync, writeSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { constants, setPriority } from "node:os";
import { join } from "node:path";
import { schemeHeader } from "../../platform/egress/server.ts";
import type { HttpClient } from "../../platform/http1/client/http-client.ts";
import { callHeader, publicSchemeHeader } from "./call.ts";
import { CodeConnection } from "./code-connection.ts";
import { type ConsoleLine, SandboxFailure } from "./protocol.ts";
import beforeCode from "./runtime/before-code.js" with { type: "text" };
import runtime from "./runtime/runtime.js" with { type: "text" };
import { SourceLines } from "./source-lines.ts";

interface WorkerdOptions {
  client: HttpClient;
  workerd: string;
  /** The folder of all processes, which only this user may enter. */
  root: string;
  /** Its own subfolder, which does not exist yet. */
  folder: string;
  egressSocket: string;
  memoryMegabytes: number;
  code: string;
  environment: Record<string, string>;
  onConsole(line: ConsoleLine): void;
}

const levels: ConsoleLine["level"][] = ["debug", "info", "warn", "error"];

/** Longer than the longest escaped line of the runtime. */
const maxLineBytes = 64 * 1024;

const startSeconds = 15;

/** Memory that V8 reserves and the kernel counts as data before any code runs: up to 550 MB was measured (x64). */
const reservedMegabytes = 640;

/**
 * Starts workerd so that it ends with this server, however the server ends: a shell waits for a line from us, and the
 * kernel closes the pipe of a dead server. Once workerd has ended we send the line, because its process id may be
 * reused. That pipe cannot be stdin, because Bun closes it as soon as the process ends. Ctrl-C reaches every process of
 * a terminal and is ignored, because the server decides when code ends. A crash leaves no core file. RLIMIT_DATA stops
 * allocations that are too fast for the periodic check.
 */
const launch = `
trap '' INT HUP
ulimit -c 0
ulimit -d "$1"
root="$2"
shift 2
{ trap '' TERM; read -r _ <&3 || { kill -KILL $$; rm -rf -- "$root"; }; } >/dev/null 2>&1 &
exec env -i "$@" 3<&-
`;

/** Lower than the server's own priority, so that the server is preferred on a busy machine. */
const priority = Math.min(5, constants.priority.PRIORITY_LOW);

/** One workerd that runs the code of one version. */
export class WorkerdProcess {
  readonly connection: CodeConnection;
  /** Resolves with the reason of its end. Never rejects. */
  readonly ended: Promise<SandboxFailure>;
  readonly #child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  readonly #listening = Promise.withResolvers<void>();
  #cause: SandboxFailure | undefined;
  #stderrTail = "";
  readonly #sources: SourceLines;

  /** Resolves once the code is loaded and responds. Rejects with a SandboxFailure. */
  static async start(options: WorkerdOptions): Promise<WorkerdProcess> {
    await writeFiles(options);
    const started = new WorkerdProcess(options);
    await started.#waitUntilReady();
    // The files are no longer needed, and the environment may contain secrets.
    await Promise.all(
      Object.values(files)
        .filter((file) => file !== files.socket)
        .map((file) => rm(join(options.folder, file), { force: true })),
    );
    return started;
  }

  private constructor(private readonly options: WorkerdOptions) {
    this.#sources = new SourceLines(options.code);
    this.connection = new CodeConnection(options.client, join(options.folder, files.socket), options.environment);
    const dataKilobytes = (reservedMegabytes + options.memoryMegabytes) * 1024;
    const serve = [options.workerd, "serve", "--control-fd=1", files.config];
    this.#child = Bun.spawn(["sh", "-c", launch, "sh", String(dataKilobytes), options.root, ...serve], {
      cwd: options.folder,
      env: {},
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    try {
      setPriority(this.#child.pid, priority);
    } catch {
      // The server may not be allowed to lower it, or the process may have ended already.
    }
    this.ended = this.#follow();
  }

  get processId(): number {
    return this.#child.pid;
  }

  /** Whether it has ended or is about to end. */
  get isOver(): boolean {
    return this.#cause !== undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Ends it at once. Requests in progress fail. */
  kill(cause: SandboxFailure): void {
    this.#cause ??= cause;
    this.#child.kill("SIGKILL");
  }

  /** Ends once every response is complete; accepts nothing new. */
  drain(): void {
    this.#child.kill("SIGTERM");
  }

  async #waitUntilReady(): Promise<void> {
    const tooLate = setTimeout(
      () => this.kill(new SandboxFailure("start", `The code was not ready within ${startSeconds} s`)),
      startSeconds * 1000,
    );
    try {
      await Promise.race([this.#listening.promise.then(() => this.connection.ping()), this.#failure()]);
    } catch {
      const { reason, message } = await this.ended;
      throw new SandboxFailure(reason === "crashed" ? "start" : reason, message);
    } finally {
      clearTimeout(tooLate);
    }
  }

  async #failure(): Promise<never> {
    throw await this.ended;
  }

  async #follow(): Promise<SandboxFailure> {
    const read = [
      readLines(this.#child.stdout, maxLineBytes, (line) => this.#take(line)),
      readTail(this.#child.stderr, (tail) => {
        this.#stderrTail = tail;
      }),
    ];
    await this.#child.exited;
    await Promise.allSettled(read);
    dismissWatcher(this.#child.stdio[3]!);
    await rm(this.options.folder, { recursive: true, force: true });
    return this.#cause ?? failureOf(this.#sources.translate(this.#stderrTail), this.options.memoryMegabytes);
  }

  /** A line of workerd itself is an object; a line of code is an array. */
  #take(line: string): void {
    const output = parse(line);
    if (Array.isArray(output)) {
      const [level, message, requestId] = output;
      // Written by our runtime, but code in the same process can replace what the runtime uses, so it is validated.
      if (!levels.includes(level) || typeof message !== "string" || typeof (requestId ?? "") !== "string") return;
      const translated = this.#sources.translate(message);
      this.options.onConsole(requestId ? { level, message: translated, requestId } : { level, message: translated });
    } else if (output?.event === "listen") {
      this.#listening.resolve();
    }
  }
}

async function writeFiles(options: WorkerdOptions): Promise<void> {
  await mkdir(options.folder, { mode: 0o700 });
  const contents: [file: string, content: string][] = [
    [files.config, workerdConfig(options)],
    [files.beforeCode, beforeCode],
    [files.runtime, runtime],
    [files.code, options.code],
    [files.environment, JSON.stringify(options.environment)],
    [files.settings, JSON.stringify({ usesConsole: options.code.includes("console") })],
  ];
  await Promise.all(contents.map(([file, content]) => writeFile(join(options.folder, file), content, { mode: 0o600 })));
}

function dismissWatcher(pipe: number): void {
  try {
    writeSync(pipe, "\n");
  } catch {
    // The watcher was killed, so the pipe has no reader.
  }
  closeSync(pipe);
}

type OutputLine = [level: ConsoleLine["level"], message: string, requestId: string | null] | { event?: string };

function parse(line: string): OutputLine | undefined {
  try {
    return JSON.parse(line) as OutputLine;
  } catch {
    return undefined;
  }
}

/** The last output of workerd, reduced to what helps the author of the code. */
function failureOf(stderr: string, memoryMegabytes: number): SandboxFailure {
  if (/out of memory/i.test(stderr)) return memoryFailure(memoryMegabytes);
  const useful = stderr
    .split("\n")
    .filter((line) => !/^(\*\*\*|stack:|#|\s*$)/.test(line))
    .map((line) => line.replace(/^\S+\.(c\+\+|h|rs):\d+: /, ""))
    .join("\n");
  return new SandboxFailure("crashed", useful || "The process that ran the code ended unexpectedly");
}

export function memoryFailure(memoryMegabytes: number): SandboxFailure {
  return new SandboxFailure("memory", `The code used more than ${memoryMegabytes} MiB of memory`);
}

const newline = 10;

/** Reads a stream line by line. Lines longer than `maxBytes` are dropped, so that memory is bounded. */
export async function readLines(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  onLine: (line: string) => void,
): Promise<void> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      size += end - start;
      if (size <= maxBytes) onLine(Buffer.concat([...pieces, chunk.subarray(start, end)]).toString());
      pieces = [];
      size = 0;
      start = end + 1;
    }
    size += chunk.length - start;
    if (size <= maxBytes) pieces.push(chunk.slice(start));
    else pieces = [];
  }
}

/** Reads a stream to its end and returns the last part. */
export async function readTail(stream: ReadableStream<Uint8Array>, keep: (tail: string) => void): Promise<void> {
  const maxCharacters = 8 * 1024;
  const decoder = new TextDecoder();
  let tail = "";
  for await (const chunk of stream) {
    tail = (tail + decoder.decode(chunk, { stream: true })).slice(-maxCharacters);
    keep(tail);
  }
}

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
