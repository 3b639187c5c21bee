import { join } from "node:path";
import { findGo, findPython } from "../support/other-languages.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary-folder.ts";

const clients = join(import.meta.dir, "../../clients");

/** A call that every client makes alike. */
export interface ClientCase {
  name: string;
  method: string;
  arguments: Record<string, unknown>;
  url?: string;
  token?: string;
  account?: string;
  retries?: number;
  timeoutMs?: number;
}

export interface Outcome {
  result?: unknown;
  error?: { status: number; code: string; errors: object[]; requestId?: string; retryAfterSeconds?: number };
  /** In milliseconds. */
  pauses: number[];
}

async function run(command: string[], input: string, environment: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(command, {
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
    cwd: join(clients, "go"),
    env: { ...process.env, ...environment },
  });
  const [output, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (status !== 0) throw new Error(`${command.join(" ")} failed:\n${errors}${output}`);
  return output;
}

export const pythonEnvironment = { PYTHONPATH: join(clients, "python"), PYTHONDONTWRITEBYTECODE: "1" };

/** Go with its caches in a folder of the test. */
export function goEnvironment(folder: string): Record<string, string> {
  return { GOCACHE: join(folder, "cache"), GOPATH: join(folder, "path"), GOFLAGS: "-mod=mod", GOPROXY: "off" };
}

type RunCases = (cases: ClientCase[]) => Promise<Outcome[]>;

/** The clients by their language, each in a process of its own. */
export class ClientsOfAllLanguages {
  readonly #folder: TemporaryFolder;
  readonly #go: string;

  private constructor(folder: TemporaryFolder, go: string) {
    this.#folder = folder;
    this.#go = go;
  }

  static async build(): Promise<ClientsOfAllLanguages> {
    const folder = await temporaryFolder("clients");
    const go = join(folder.path, "cases");
    await run([findGo(), "test", "-c", "-o", go, "."], "", goEnvironment(folder.path));
    return new ClientsOfAllLanguages(folder, go);
  }

  readonly run: Record<"javascript" | "python" | "python asyncio" | "go", RunCases> = {
    javascript: async (cases) =>
      JSON.parse(await run([process.execPath, join(import.meta.dir, "driver.ts")], JSON.stringify(cases))),
    python: (cases) => this.#python(cases),
    "python asyncio": (cases) => this.#python(cases, "async"),
    go: async (cases) => {
      const [given, outcomes] = [join(this.#folder.path, "given.json"), join(this.#folder.path, "outcomes.json")];
      await Bun.write(given, JSON.stringify(cases));
      await run([this.#go, "-test.run=TestCases"], "", { TOLLGATE_CASES: given, TOLLGATE_OUTCOMES: outcomes });
      return Bun.file(outcomes).json();
    },
  };

  async #python(cases: ClientCase[], ...words: string[]): Promise<Outcome[]> {
    const command = [findPython(), join(import.meta.dir, "driver.py"), ...words];
    return JSON.parse(await run(command, JSON.stringify(cases), pythonEnvironment));
  }

  async remove(): Promise<void> {
    await this.#folder.remove();
  }
}
