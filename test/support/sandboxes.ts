import type { CodeContext, ConsoleLine } from "../../src/gateway/sandbox/protocol.ts";
import type { WorkerdSandbox } from "../../src/gateway/sandbox/sandbox.ts";
import { type SandboxesOptions, WorkerdSandboxes } from "../../src/gateway/sandbox/sandboxes.ts";
import { Egress } from "../../src/platform/egress/egress.ts";
import { HttpHeaders } from "../../src/platform/http1/message/headers.ts";
import { HttpRequest } from "../../src/platform/http1/message/http-request.ts";
import { started, stopped } from "./left-running.ts";
import { bodyOf, webResponseOf } from "./web.ts";

const module = "modules/test.ts";

/** Code in a sandbox, and its output. */
export interface RunningCode {
  sandbox: WorkerdSandbox;
  lines: ConsoleLine[];
  handle(path: string, options?: HandleOptions): Promise<Response>;
  decide(head?: { method?: string; url?: string; headers?: [string, string][] }): ReturnType<WorkerdSandbox["decide"]>;
}

interface HandleOptions {
  method?: string;
  url?: string;
  headers?: Record<string, string>;
  body?: ReadableStream;
  context?: Partial<CodeContext>;
  timeoutSeconds?: number;
  signal?: AbortSignal;
}

export class TestSandboxes {
  readonly sandboxes: WorkerdSandboxes;
  readonly warnings: unknown[] = [];

  constructor(options: Partial<SandboxesOptions> = {}) {
    const warn = (error: unknown) => this.warnings.push(error);
    this.sandboxes = new WorkerdSandboxes({ egress: new Egress("any"), warn, ...options });
    started(this, "sandboxes");
  }

  /** `body` is the body of a function of `request` and `context`; `before` is the top of the module. */
  async run(body: string, before = "", environment: Record<string, string> = {}): Promise<RunningCode> {
    const code = `${before}\nexport default { "${module}": { default: async (request, context) => { ${body} } } };`;
    return this.runModule(code, environment);
  }

  async runModule(code: string, environment: Record<string, string> = {}): Promise<RunningCode> {
    const lines: ConsoleLine[] = [];
    const onConsole = (line: ConsoleLine) => lines.push(line);
    const sandbox = await this.sandboxes.start({ code, environment, name: "test", onConsole });
    return {
      sandbox,
      lines,
      handle(path, options = {}) {
        const { method = "GET", url = `https://api.example${path}`, timeoutSeconds = 20, signal } = options;
        const { protocol, host, pathname, search } = new URL(url);
        const headers = new HttpHeaders(options.headers);
        const body = options.body && bodyOf(options.body);
        const sender = new HttpRequest(method, path, headers, body, "192.0.2.1");
        signal?.addEventListener("abort", () => sender.abort());
        const request = { method, protocol: protocol.slice(0, -1), host, target: pathname + search, headers, body };
        const handled = sandbox.handle(module, request, contextOf(options.context), { timeoutSeconds, sender });
        return handled.then((response) => {
          signal?.addEventListener("abort", () => response.discard());
          return webResponseOf(response);
        });
      },
      decide: (head = {}) =>
        sandbox.decide(
          module,
          { head: { method: "GET", url: "https://api.example/x", headers: [], ...head } },
          contextOf({ options: { limit: 3 } }),
          { timeoutSeconds: 20 },
        ),
    };
  }

  async stop(): Promise<void> {
    await this.sandboxes.stop();
    stopped(this);
    if (this.warnings.length > 0) throw this.warnings[0];
  }
}

function contextOf(context: Partial<CodeContext> = {}): CodeContext {
  return { requestId: "req_1", user: undefined, params: {}, route: { path: "/x", method: "GET" }, ...context };
}

export function processRuns(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}
