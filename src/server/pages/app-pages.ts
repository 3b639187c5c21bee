import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { pagePolicy, plainText, WebFiles } from "./web-files.ts";
import { readWebPack } from "./web-pack.ts";

/** The console shows previews of portals. */
const policies = { console: pagePolicy({ frames: "'self'" }), docs: pagePolicy() };

/** The pages under a path of the management API's host. */
export interface Pages {
  /** Whether the path belongs to them. */
  has(path: string): boolean;
  /** Handles GET and HEAD. */
  handle(request: HttpRequest, path: string): HttpResponse;
}

/** Serves a web app from memory, and the guides with the reference. A path that is not a file returns the page itself, which routes by path. */
export class AppPages implements Pages {
  readonly #path: string;

  private constructor(
    private readonly app: "console" | "docs",
    private readonly files: WebFiles | undefined,
  ) {
    this.#path = `/${app}`;
  }

  /** The console, or the API reference. */
  static async read(app: "console" | "docs"): Promise<AppPages> {
    const files = await readWebPack(app);
    return new AppPages(app, files && new WebFiles(files));
  }

  /** Whether the path belongs to the app. */
  has(path: string): boolean {
    if (this.app === "docs" && path === "/llms.txt") return true;
    return path.startsWith(this.#path) && (path.length === this.#path.length || path[this.#path.length] === "/");
  }

  /** Handles GET and HEAD of a path of the app. */
  handle(request: HttpRequest, path: string): HttpResponse {
    if (!this.files) {
      const name = this.app === "console" ? "console" : "API reference";
      return plainText(503, `The ${name} was not built. Run \`npm run build:web\`, then start the server again.\n`);
    }
    const name = path === "/llms.txt" ? "llms.txt" : path.slice(this.#path.length + 1).replace(/\/$/, "");
    return this.files.find(request, name) ?? this.files.sendPage(request, policies[this.app]);
  }
}
