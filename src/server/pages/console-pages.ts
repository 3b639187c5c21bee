import type { HttpRequest } from "../../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import { plainText, WebFiles } from "./web-files.ts";
import type { WebFile } from "./web-pack.ts";

/** Whether the path belongs to the console. */
export const isConsolePath = (path: string): boolean => path === "/console" || path.startsWith("/console/");

/** Serves the console from memory. A path that is not a file returns the page itself, which routes by path. */
export class ConsolePages {
  readonly #files: WebFiles | undefined;

  constructor(files: WebFile[] | undefined) {
    this.#files = files && new WebFiles(files);
  }

  /** Handles GET and HEAD of a path of the console. */
  handle(request: HttpRequest, path: string): HttpResponse {
    if (!this.#files)
      return plainText(503, "The console was not built. Run `npm run build:web`, then start the server again.\n");
    return this.#files.find(request, path.slice("/console/".length)) ?? this.#files.sendPage(request);
  }
}
